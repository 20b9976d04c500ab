/**
 * The calls with which a list is tested: each declared filter and sort, with a value that rows have and one that none
 * has, and all pairs of them.
 */
import fc from 'fast-check';
import type { RouteDeclaration } from '../../http/route.ts';
import type { TObject, TSchema } from '../../http/schemas.ts';
import { matches } from '../../http/validation.ts';
import { arbitraryOf } from '../contract/arbitrary.ts';
import { Pool } from '../contract/pool.ts';

export type Query = Record<string, string | number | boolean>;

/** The parameters that are neither a filter nor a sort. */
const paging = new Set(['limit', 'cursor', 'fields']);

/** True for a route with parameters for paging. */
export function isList({ method, query }: RouteDeclaration): boolean {
  const properties = (query as TObject | undefined)?.properties ?? {};
  return method === 'get' && 'limit' in properties && 'cursor' in properties;
}

/** A filter or a sort with the values to call it with: all choices, or one that items have (if known) and one that none has. */
export interface Filter {
  name: string;
  values: Query[string][];
}

/** The filters and sorts among the parameters of a list. */
export function filtersWithValues(
  parameters: Readonly<Record<string, TSchema>>,
  items: readonly Record<string, unknown>[],
): Filter[] {
  return Object.entries(parameters).flatMap(([name, schema]) =>
    paging.has(name) ? [] : [{ name, values: valuesOf(name, schema, items) }],
  );
}

/**
 * The queries with which to call a list.
 * @param items the items of its first page, as the source of values; a filter without a value there uses its example
 */
export function callsOf(declaration: RouteDeclaration, items: readonly Record<string, unknown>[]): Query[] {
  const { properties } = declaration.query as TObject;
  const filters = filtersWithValues(properties, items);
  const single = filters.flatMap(({ name, values }) => values.map((value) => ({ [name]: value })));
  const pairs = filters.flatMap((one, index) =>
    filters
      .slice(index + 1)
      .flatMap((other) =>
        one.values.flatMap((value) =>
          other.values.slice(0, 3).map((second) => ({ [one.name]: value, [other.name]: second })),
        ),
      ),
  );
  return [{}, ...single, ...pairs, ...allChoices(filters, properties)];
}

/** Two queries with all filters of few values: with the first value of each, and with the last. */
function allChoices(filters: readonly Filter[], properties: TObject['properties']): Query[] {
  const choices = filters.filter(({ name }) => isChoice(properties[name] as TSchema));
  if (choices.length < 3) return [];
  const at = (place: number) =>
    Object.fromEntries(choices.map(({ name, values }) => [name, values.at(place) as Query[string]]));
  return [at(0), at(-1)];
}

function isChoice(schema: TSchema): boolean {
  return Array.isArray(schema.enum) || schema.type === 'boolean';
}

function valuesOf(name: string, schema: TSchema, items: readonly Record<string, unknown>[]): Query[string][] {
  if (Array.isArray(schema.enum)) return schema.enum as string[];
  if (schema.type === 'boolean') return [true, false];
  const known = [...findIn(items, name), ...((schema.examples as unknown[] | undefined) ?? [])];
  const found = known.find((value) => matches(schema, value)) as Query[string] | undefined;
  return [...(found === undefined ? [] : [found]), unusedValueOf(schema)];
}

/** Values of this name anywhere in the items. */
function findIn(value: unknown, name: string): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  const own = !Array.isArray(value) && name in value ? [(value as Record<string, unknown>)[name]] : [];
  return [...own, ...Object.values(value).flatMap((child) => findIn(child, name))];
}

/** A value that no row has, as far as possible. */
function unusedValueOf(schema: TSchema): Query[string] {
  const unused = 'nothing-has-this';
  if (matches(schema, unused)) return unused;
  if (schema.format === 'date-time') return '2020-01-01T00:00:00.000Z';
  const { examples: _, ...rest } = schema;
  const [value] = fc.sample(arbitraryOf(rest as TSchema, { pool: new Pool() }), { seed: 7, numRuns: 1 });
  return value as Query[string];
}
