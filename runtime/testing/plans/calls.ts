/**
 * The calls by which a list is tried: each declared filter and sort, with a value that much has and one that nothing
 * has, and each two of them.
 */
import fc from 'fast-check';
import type { RouteDeclaration } from '../../http/route.ts';
import type { TObject, TSchema } from '../../http/schemas.ts';
import { matches } from '../../http/validation.ts';
import { arbitraryOf } from '../contract/arbitrary.ts';
import { Pool } from '../contract/pool.ts';

export type Query = Record<string, string | number | boolean>;

/** What pages a list; all else is a filter or a sort. */
const paging = new Set(['limit', 'cursor', 'fields']);

/** A list: what takes a page's size and its place. */
export function isList({ method, query }: RouteDeclaration): boolean {
  const properties = (query as TObject | undefined)?.properties ?? {};
  return method === 'get' && 'limit' in properties && 'cursor' in properties;
}

/** Names of the filters and sorts of a list. */
export function filtersOf({ query }: RouteDeclaration): string[] {
  return Object.keys((query as TObject).properties).filter((name) => !paging.has(name));
}

/**
 * The queries to try a list with. @param items of its first page: their values are in the list; of a filter that no item
 * has a value of by its name, the example of its schema is tried
 */
export function callsOf(declaration: RouteDeclaration, items: readonly Record<string, unknown>[]): Query[] {
  const { properties } = declaration.query as TObject;
  const filters = filtersOf(declaration).map((name) => ({
    name,
    values: valuesOf(name, properties[name] as TSchema, items),
  }));
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

type Filter = { name: string; values: Query[string][] };

/** All filters that have a few values only, told at once: each with its first value, and each with its last. */
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
  return [...(found === undefined ? [] : [found]), madeOf(schema)];
}

/** Values of this name, wherever they stand in the items. */
function findIn(value: unknown, name: string): unknown[] {
  if (value === null || typeof value !== 'object') return [];
  const own = !Array.isArray(value) && name in value ? [(value as Record<string, unknown>)[name]] : [];
  return [...own, ...Object.values(value).flatMap((child) => findIn(child, name))];
}

/** A value that nothing has, as far as one can be made up. */
function madeOf(schema: TSchema): Query[string] {
  const nowhere = 'nothing-has-this';
  if (matches(schema, nowhere)) return nowhere;
  if (schema.format === 'date-time') return '2020-01-01T00:00:00.000Z';
  const { examples: _, ...rest } = schema;
  const [value] = fc.sample(arbitraryOf(rest as TSchema, { pool: new Pool() }), { seed: 7, numRuns: 1 });
  return value as Query[string];
}
