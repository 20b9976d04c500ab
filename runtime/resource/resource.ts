/**
 * The usual routes of a resource from one declaration: list, create, read, change, delete. What comes out are ordinary
 * routes; whatever differs from the usual is said, and what no resource has is a route beside them.
 */
import type { BoxAccess } from '../box/callers.ts';
import { type BoxServices, route, type ServicesFor } from '../box/services.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { externalIdTaken } from '../http/integration.ts';
import { pageQuery } from '../http/paging.ts';
import { notFound, type ProblemType } from '../http/problems.ts';
import type { Route, RouteDeclaration, RouteInput } from '../http/route.ts';
import type { Static, TObject, TSchema, Uuid } from '../http/schemas.ts';
import { pluralOf } from './plural.ts';
import type { ListQuery } from './rows.ts';

/** What may differ from the usual in any of the routes. */
interface Words {
  summary?: string;
  description?: string;
  operationId?: string;
  permission?: string | false;
  problems?: readonly ProblemType[];
}

type Request<Access extends BoxAccess, Params, Query, Body> = ServicesFor<Access> & RouteInput<Params, Query, Body>;
/** What `rows` makes, whatever is in the rows: what does not fit the item's shape cannot be answered. */
interface Kept {
  page(db: TenantDatabase, query: ListQuery): Promise<unknown>;
  require(db: TenantDatabase, id: string): Promise<unknown>;
  remove(db: TenantDatabase, id: string): Promise<unknown>;
}
type Id = { id: string };
type Usual = Omit<RouteDeclaration, 'tag' | 'access'>;
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
  /** `/admin/regions`; of one, `/admin/regions/:id`. */
  path: string;
  /** `region`, `API key`: as it stands in summaries. `plural` where it is irregular. */
  noun: string;
  plural?: string;
  tag: string;
  access: Access;
  /** Its routes are none of the contract's. */
  beyond?: true;
  /** Named: the operations are called after it. */
  item: Item;
  /** What one is answered as by itself, where that is more than in the list. */
  detail?: Detail;
  /** Where they are kept: what lists, reads and removes them unless told. */
  rows?: Kept;
  list?: Words & {
    query?: Query;
    page: Page;
    run?: (request: Request<Access, unknown, Static<Query>, unknown>) => Result<Page>;
  };
  read?: Words & {
    /** Its one property names one of them in the path, in place of `id`: `HandleOrId`. */
    params?: Params;
    query?: ReadQuery;
    run?: (request: Request<Access, Static<Params>, Static<ReadQuery>, unknown>) => Result<Detail>;
  };
  create?: Words & {
    body: Create;
    /** What is answered this once. */
    response?: Created;
    run: (request: Request<Access, unknown, unknown, Static<Create>>) => Result<Created>;
  };
  change?: Words & { body: Change; run: (request: Request<Access, Id, unknown, Static<Change>>) => Result<Detail> };
  remove?: Words & { run?: (request: Request<Access, Id, unknown, unknown>) => Promise<unknown> };
  /** What else is done with one, without a body, by its verb: `revoke` is `POST /admin/api-keys/:id/revoke`. */
  actions?: Readonly<
    Record<string, Words & { run: (request: Request<Access, Id, unknown, unknown>) => Result<Detail> }>
  >;
}

/**
 * The operations are named by the `$id` of the item and of the bodies: `listAdminRegions`, `readAdminRegion`,
 * `createRegion`, `updateRegion`, `deleteRegion`, and an action with its verb (`revokeApiKey`). A body that has an `externalId` may be refused with
 * `external_id_taken`.
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
  // `CreateRegion` beside an `AdminRegion`: what is written has the plain name.
  const plainName = (create?.body ?? change?.body)?.$id?.replace(/^(Create|Change)/, '') ?? itemName;
  const response = declaration.detail ?? item;
  const article = /^[aeiou]/i.test(noun) ? 'an' : 'a';
  const routes: Route<BoxServices>[] = [];

  /** Adds the usual route with what was said of it. */
  function add(usual: Usual, said: Words, run: unknown): void {
    const { body } = usual;
    const problems = body?.properties?.externalId ? [externalIdTaken, ...(said.problems ?? [])] : said.problems;
    const words = { ...usual, ...given(said), ...(problems && { problems }) };
    routes.push(route({ ...words, tag, access, ...(beyond && { beyond }) }, run as never));
  }

  if (list) {
    const { query = pageQuery(), page, run = ({ db, query }: Listing) => rows?.page(db, query as never) } = list;
    const summary = `List ${plural}, newest first`;
    add(
      {
        method: 'get',
        path,
        operationId: `list${itemName.replace(inNames(noun), inNames(plural))}`,
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
    const usual = {
      method: 'post',
      path,
      operationId: `create${plainName}`,
      summary: `Create ${article} ${noun}`,
    } as const;
    const answer = { status: 201, response: create.response ?? response, location: `${path}/{id}` } as const;
    add({ ...usual, body: create.body, ...answer }, create, create.run);
  }
  if (read) {
    const { params, query, run = ({ db, params }: Naming) => rows?.require(db, params.id) } = read;
    const usual = { method: 'get', operationId: `read${itemName}`, summary: `Read ${article} ${noun}` } as const;
    const named = params ? { path: `${path}/:${Object.keys(params.properties)[0]}`, params } : { path: one };
    const problems = params ? [notFound, ...(read.problems ?? [])] : read.problems;
    add({ ...usual, ...named, ...(query && { query }), status: 200, response }, { ...read, problems }, run);
  }
  if (change) {
    const { body } = change;
    const usual = { method: 'patch', path: one, operationId: `update${plainName}` } as const;
    add({ ...usual, summary: `Change ${article} ${noun}`, body, status: 200, response }, change, change.run);
  }
  if (remove) {
    const { run = ({ db, params }: Naming) => rows?.remove(db, params.id) } = remove;
    const usual = { method: 'delete', path: one, operationId: `delete${plainName}` } as const;
    add({ ...usual, summary: `Delete ${article} ${noun}`, status: 204 }, remove, run);
  }
  for (const [verb, action] of Object.entries(actions)) {
    const usual = { method: 'post', path: `${one}/${verb}`, operationId: `${verb}${plainName}` } as const;
    add({ ...usual, summary: `${inNames(verb)} ${article} ${noun}`, status: 200, response }, action, action.run);
  }
  return routes;
}

type Listing = BoxServices & RouteInput<unknown, unknown, unknown>;
type Naming = BoxServices & RouteInput<Id, unknown, unknown>;

/** `API key` as it stands in names: `ApiKey`. */
function inNames(noun: string): string {
  return noun.replaceAll(/(\w)(\w*)\s*/g, (_, first: string, rest: string) => first.toUpperCase() + rest.toLowerCase());
}

/** The words that were said, and nothing else. */
function given({ summary, description, operationId, permission }: Words): Words {
  const words = Object.entries({ summary, description, operationId, permission });
  return Object.fromEntries(words.filter(([, word]) => word !== undefined));
}
