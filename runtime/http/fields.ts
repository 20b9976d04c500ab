/**
 * `?fields=id,title`: the caller names the fields it wants of each item, or of the one resource, and the rest is left
 * out. The handler is told the names, so that it can spare itself the work for the others.
 */
import { invalidRequest } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import { object, type TObject, type TSchema, Type } from './schemas.ts';

/** The schema whose fields are selected: of the items of a list, else of the answer itself. */
function itemOf(response: TSchema): TObject {
  return response.properties?.items?.items ?? response;
}

/** The declaration of a route with `fields: true` with the query parameter in it, and an answer that may be partial. */
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
      description: `Names of the fields that are wanted, with commas between; all unless given. One or more of: ${names.join(', ')}`,
      examples: [names.slice(0, 2).join(',')],
    }),
  );
  const { $id, ...rest } = (query ?? object({})) as TObject;
  return { ...declaration, query: { ...rest, properties: { ...rest.properties, fields: parameter } } as TObject };
}

const partials = new WeakMap<TSchema, TObject>();

/** The answer's schema when fields are selected: the same, with no field required. */
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

function nameOf({ $id }: TSchema): { $id?: string } {
  return $id === undefined ? {} : { $id: `Selected${$id}` };
}

/** What a route may answer: all fields, or the ones that a request selects. */
export function responseSchemaOf({ response, fields }: RouteDeclaration): TSchema | undefined {
  return response && fields ? Type.Union([response, partialOf(response)]) : response;
}

/**
 * The wanted fields of a request; null for all.
 * @throws invalid_request (400) naming what is no field
 */
export function selectedFields(response: TSchema, query: unknown): ReadonlySet<string> | null {
  const { fields } = query as { fields?: string };
  if (fields === undefined) return null;
  const { properties } = itemOf(response);
  const wanted = new Set(fields.split(','));
  for (const name of wanted) {
    if (Object.hasOwn(properties, name)) continue;
    const detail = `has no field called "${name}"`;
    throw invalidRequest(`query /fields: ${detail}`, { errors: [{ in: 'query', pointer: '/fields', detail }] });
  }
  return wanted;
}

/** An answer with the wanted fields only. */
export function selectFrom(result: unknown, wanted: ReadonlySet<string>): unknown {
  const select = (item: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => wanted.has(name)));
  const { items } = result as { items?: Record<string, unknown>[] };
  return items ? { ...(result as object), items: items.map(select) } : select(result as Record<string, unknown>);
}
