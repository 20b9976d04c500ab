/**
 * `?fields=id,title`: the caller selects fields of each item, or of the single resource, and the others are omitted. The
 * handler gets the names, so that it can skip the work for the others.
 */
import { invalidRequest } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import { object, type TObject, type TSchema, Type } from './schemas.ts';

/** The schema whose fields are selected: that of a list's items, else of the response itself. */
function itemOf(response: TSchema): TObject {
  return response.properties?.items?.items ?? response;
}

/** Adds the query parameter to the declaration of a route with `fields: true`. */
export function withFieldsParameter(declaration: RouteDeclaration): RouteDeclaration {
  const { fields, response, query } = declaration;
  if (!fields || query?.properties?.fields) return declaration;
  const { properties } = response ? itemOf(response) : {};
  if (!properties) throw new Error(`${declaration.operationId} has no fields to select from`);
  const names = Object.keys(properties);
  const parameter = Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: names.join(',').length,
      description: `Comma-separated names of the fields to return; defaults to all. Fields: ${names.join(', ')}`,
      examples: [names.slice(0, 2).join(',')],
    }),
  );
  const { $id, ...rest } = (query ?? object({})) as TObject;
  return { ...declaration, query: { ...rest, properties: { ...rest.properties, fields: parameter } } as TObject };
}

const partials = new WeakMap<TSchema, TObject>();

/** The response schema when fields are selected: the same, with all fields optional. */
export function partialOf(response: TSchema): TObject {
  let partial = partials.get(response);
  if (!partial) {
    const item = itemOf(response);
    const { required: _, ...optional } = { ...item, ...nameOf(item) };
    partial = optional as TObject;
    if (item !== response) {
      const properties = { ...response.properties, items: Type.Array(partial) };
      partial = { ...(response as TObject), ...nameOf(response), properties };
    }
    partials.set(response, partial);
  }
  return partial;
}

/** The response schema when these fields are selected: without the others, and with what the selected ones require. */
export function selectedOf(response: TSchema, selected: ReadonlySet<string>): TSchema {
  const item = itemOf(response);
  const properties = Object.fromEntries(Object.entries(item.properties).filter(([name]) => selected.has(name)));
  const own = { ...item, properties, required: item.required?.filter((name) => selected.has(name)) } as TSchema;
  return item === response ? own : { ...response, properties: { ...response.properties, items: Type.Array(own) } };
}

function nameOf({ $id }: TSchema): { $id?: string } {
  return $id === undefined ? {} : { $id: `Selected${$id}` };
}

const unions = new WeakMap<TSchema, TSchema>();

/** The response schema of a route: all fields, or those that a request selects. */
export function responseSchemaOf({ response, fields }: RouteDeclaration): TSchema | undefined {
  if (!response || !fields) return response;
  const union = unions.get(response) ?? Type.Union([response, partialOf(response)]);
  unions.set(response, union);
  return union;
}

/**
 * Returns the fields that a request selects; null for all.
 * @throws invalid_request (400) naming an unknown field
 */
export function selectedFields(response: TSchema, query: unknown): ReadonlySet<string> | null {
  const { fields } = query as { fields?: string };
  if (fields === undefined) return null;
  const { properties } = itemOf(response);
  const selected = new Set(fields.split(','));
  for (const name of selected) {
    if (Object.hasOwn(properties, name)) continue;
    const detail = `contains the unknown field "${name}"`;
    throw invalidRequest(`query /fields: ${detail}`, { errors: [{ in: 'query', pointer: '/fields', detail }] });
  }
  return selected;
}

/** Returns a result with the selected fields only. */
export function selectFrom(result: unknown, selected: ReadonlySet<string>): unknown {
  const select = (item: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => selected.has(name)));
  const { items } = result as { items?: Record<string, unknown>[] };
  return items ? { ...(result as object), items: items.map(select) } : select(result as Record<string, unknown>);
}
