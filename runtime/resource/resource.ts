/**
 * Generates the standard routes of a resource from one declaration: list, create, read, change, delete and actions. The
 * results are ordinary routes; the declaration can override their parts, and other routes are declared separately.
 */
import type { BoxAccess } from '../box/callers.ts';
import { type BoxServices, route, type ServicesFor } from '../box/services.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { externalIdTaken } from '../http/integration.ts';
import { pageQuery } from '../http/paging.ts';
import { notFound, type ProblemType } from '../http/problems.ts';
import type { Route, RouteDeclaration, RouteInput } from '../http/route.ts';
import type { Static, TObject, TSchema, Uuid } from '../http/schemas.ts';
import type { ListQuery } from './declared-rows.ts';
import { pluralOf } from './plural.ts';

/** Overrides for one of the routes. */
interface Overrides {
  summary?: string;
  description?: string;
  operationId?: string;
  permission?: string | false;
  problems?: readonly ProblemType[];
  isPersonal?: RouteDeclaration['isPersonal'];
  shared?: RouteDeclaration['shared'];
}

type Request<Access extends BoxAccess, Params, Query, Body> = ServicesFor<Access> & RouteInput<Params, Query, Body>;
/** The result of `rows`, for any type of row: the response schema checks the rows. */
interface ResourceRows {
  page(db: TenantDatabase, query: ListQuery): Promise<unknown>;
  require(db: TenantDatabase, id: string): Promise<unknown>;
  remove(db: TenantDatabase, id: string): Promise<unknown>;
}
type Id = { id: string };
type StandardDeclaration = Omit<RouteDeclaration, 'tag' | 'access'>;
type Result<Schema extends TSchema> = Promise<Static<Schema>> | Static<Schema>;

export interface ResourceDeclaration<
  Access extends BoxAccess,
  Item extends TSchema,
  Detail extends TSchema,
  Query extends TSchema,
  Page extends TSchema,
  Create extends TSchema,
  Created extends TSchema,
  Change extends TSchema,
  Params extends TObject,
  ReadQuery extends TSchema,
> {
  /** `/admin/regions`; single resources are at `/admin/regions/:id`. */
  path: string;
  /** The noun in summaries: `region`, `API key`. `plural` is needed where it is irregular. */
  noun: string;
  plural?: string;
  tag: string;
  access: Access;
  /** The routes are not in the contract. */
  beyond?: true;
  /** The schema of a list item. Its `$id` names the operations. */
  item: Item;
  /** The schema of a single resource, if it has more than a list item. */
  detail?: Detail;
  /** The rows that list, read and delete use by default. */
  rows?: ResourceRows;
  list?: Overrides & {
    query?: Query;
    page: Page;
    run?: (request: Request<Access, unknown, Static<Query>, unknown>) => Result<Page>;
  };
  read?: Overrides & {
    /** Its only property replaces `id` in the path: `HandleOrId`. */
    params?: Params;
    query?: ReadQuery;
    run?: (request: Request<Access, Static<Params>, Static<ReadQuery>, unknown>) => Result<Detail>;
  };
  create?: Overrides & {
    body: Create;
    /** The response, if it differs from that of a read. */
    response?: Created;
    run: (request: Request<Access, unknown, unknown, Static<Create>>) => Result<Created>;
  };
  change?: Overrides & { body: Change; run: (request: Request<Access, Id, unknown, Static<Change>>) => Result<Detail> };
  remove?: Overrides & { run?: (request: Request<Access, Id, unknown, unknown>) => Promise<unknown> };
  /** Actions without a body, by their verb: `revoke` is `POST /admin/api-keys/:id/revoke`. */
  actions?: Readonly<
    Record<string, Overrides & { run: (request: Request<Access, Id, unknown, unknown>) => Result<Detail> }>
  >;
}

/**
 * Returns the routes of a resource.
 *
 * The operations are named by the `$id` of the item and of the bodies: `listAdminRegions`, `readAdminRegion`,
 * `createRegion`, `updateRegion`, `deleteRegion`, and an action by its verb (`revokeApiKey`). Routes whose body has an
 * `externalId` declare `external_id_taken`.
 * @example export const adminRegions = resource({ path: '/admin/regions', noun: 'region', tag: 'Regions', access: 'staff',
 *            item: AdminRegion, rows: regions, list: { query: integrationQuery(), page: AdminRegionPage }, read: {} });
 */
export function resource<
  const Access extends BoxAccess,
  Item extends TSchema,
  Detail extends TSchema = Item,
  Query extends TSchema = ReturnType<typeof pageQuery>,
  Page extends TSchema = TSchema,
  Create extends TSchema = TSchema,
  Created extends TSchema = Detail,
  Change extends TSchema = TSchema,
  Params extends TObject = TObject<{ id: typeof Uuid }>,
  ReadQuery extends TSchema = TSchema,
>(
  declaration: ResourceDeclaration<Access, Item, Detail, Query, Page, Create, Created, Change, Params, ReadQuery>,
): Route<BoxServices>[] {
  const { path, noun, plural = pluralOf(noun), tag, access, beyond, item, rows } = declaration;
  const { list, read, create, change, remove, actions = {} } = declaration;
  const one = `${path}/:id`;
  const itemName = String(item.$id);
  // `AdminRegion` is created by `CreateRegion`: operations that write have the plain name.
  const plainName = (create?.body ?? change?.body)?.$id?.replace(/^(Create|Change)/, '') ?? itemName;
  const response = declaration.detail ?? item;
  const article = /^[aeiou]/i.test(noun) ? 'an' : 'a';
  const routes: Route<BoxServices>[] = [];

  /** Adds the standard route with its overrides. */
  function add(standard: StandardDeclaration, overrides: Overrides, run: unknown): void {
    const { body } = standard;
    const problems = body?.properties?.externalId
      ? [externalIdTaken, ...(overrides.problems ?? [])]
      : overrides.problems;
    const declared = { ...standard, ...definedOnly(overrides), ...(problems && { problems }) };
    routes.push(route({ ...declared, tag, access, ...(beyond && { beyond }) }, run as never));
  }

  if (list) {
    const { query = pageQuery(), page, run = ({ db, query }: ListInput) => rows?.page(db, query as never) } = list;
    const summary = `List ${plural}, newest first`;
    add(
      {
        method: 'get',
        path,
        operationId: `list${itemName.replace(toPascalCase(noun), toPascalCase(plural))}`,
        summary,
        query,
        status: 200,
        response: page,
      },
      list,
      run,
    );
  }
  if (create) {
    const standard = {
      method: 'post',
      path,
      operationId: `create${plainName}`,
      summary: `Create ${article} ${noun}`,
    } as const;
    const success = { status: 201, response: create.response ?? response, location: `${path}/{id}` } as const;
    add({ ...standard, body: create.body, ...success }, create, create.run);
  }
  if (read) {
    const { params, query, run = ({ db, params }: IdInput) => rows?.require(db, params.id) } = read;
    const standard = { method: 'get', operationId: `read${itemName}`, summary: `Read ${article} ${noun}` } as const;
    const named = params ? { path: `${path}/:${Object.keys(params.properties)[0]}`, params } : { path: one };
    const problems = params ? [notFound, ...(read.problems ?? [])] : read.problems;
    add({ ...standard, ...named, ...(query && { query }), status: 200, response }, { ...read, problems }, run);
  }
  if (change) {
    const { body } = change;
    const standard = { method: 'patch', path: one, operationId: `update${plainName}` } as const;
    add({ ...standard, summary: `Change ${article} ${noun}`, body, status: 200, response }, change, change.run);
  }
  if (remove) {
    const { run = ({ db, params }: IdInput) => rows?.remove(db, params.id) } = remove;
    const standard = { method: 'delete', path: one, operationId: `delete${plainName}` } as const;
    add({ ...standard, summary: `Delete ${article} ${noun}`, status: 204 }, remove, run);
  }
  for (const [verb, action] of Object.entries(actions)) {
    const standard = { method: 'post', path: `${one}/${verb}`, operationId: `${verb}${plainName}` } as const;
    add(
      { ...standard, summary: `${toPascalCase(verb)} ${article} ${noun}`, status: 200, response },
      action,
      action.run,
    );
  }
  return routes;
}

type ListInput = BoxServices & RouteInput<unknown, unknown, unknown>;
type IdInput = BoxServices & RouteInput<Id, unknown, unknown>;

/** Converts `API key` to `ApiKey`. */
function toPascalCase(noun: string): string {
  return noun.replaceAll(/(\w)(\w*)\s*/g, (_, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase());
}

/** The overrides without undefined values. */
function definedOnly({ summary, description, operationId, permission, isPersonal, shared }: Overrides): Overrides {
  const entries = Object.entries({ summary, description, operationId, permission, isPersonal, shared });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
