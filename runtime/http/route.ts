/**
 * Route declarations. One declaration is the source for the router, validation, types, authentication, the document and
 * the tests. A route cannot be mounted without a declaration, nor a declaration exist without a handler.
 */
import type { IfMatch } from './if-match.ts';
import type { ProblemType } from './problems.ts';
import type { RateClass } from './rate-limit.ts';
import type { Static, TObject, TSchema } from './schemas.ts';
import type { Chunks } from './streamed.ts';
import type { FilesOf, UploadDeclaration } from './upload.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The declaration of an operation. `path` uses Koa's syntax (`/orders/:id`). */
export interface RouteDeclaration<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  method: Method;
  path: string;
  /** Unique verb and noun: the function name in a generated client. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** The access kinds that authenticate callers, the first that accepts wins; `public` requires none. */
  access: string | readonly string[];
  /**
   * The permission that a caller needs. Defaults to `<package>:read` or `:write` on a package's staff routes; `false`
   * requires none (a route about the caller itself).
   */
  permission?: string | false;
  /** Path parameters. By default each is a string, and one named `id` or `...Id` a UUID. */
  params?: Params;
  query?: Query;
  /**
   * Query parameters of campaigns are ignored rather than rejected. Set by the engine for reads of callers who come from
   * pages: those of anyone, and of visitors.
   */
  ignoresCampaign?: boolean;
  /** Optional headers that the handler reads and validates itself; they are only documented. */
  requestHeaders?: Readonly<Record<string, TSchema>>;
  body?: Body;
  /** The handler validates the items of the body one by one, and refuses texts that PostgreSQL cannot store itself. */
  acceptsNul?: true;
  /** Accept a request without a body although one is declared. */
  bodyOptional?: boolean;
  /** The body is a form with these files; its text fields are `body`. The handler gets the files as `files`. */
  upload?: UploadDeclaration;
  status: 200 | 201 | 202 | 204;
  /** Schema of the response; undeclared properties are removed. Absent with 204, or when `mediaType` is not JSON. */
  response?: Response;
  mediaType?: string;
  /**
   * The handler returns an async iterable of strings or bytes, which are sent as they are produced, with the declared
   * `mediaType`. The iterator is closed when the client disconnects. An error before the first chunk becomes a problem
   * response; a later one closes the connection. The request deadline does not apply, only statement timeouts do.
   */
  streamed?: true;
  /** With `streamed`: the handler returns `TaggedChunks`, whose ETag is sent with them. */
  tagged?: true;
  /**
   * The handler returns a `FileContent`, whose media type takes the place of `mediaType`. A part of the file is sent to
   * clients that ask for a range. Not for a result of a transaction: the file is read while it is sent.
   */
  file?: true;
  /** Template of the Location header, filled from the response: `/orders/{id}`. */
  location?: string;
  /** The problems of this route, besides those of the engine. */
  problems?: readonly ProblemType[];
  /** Accepts an Idempotency-Key. */
  idempotent?: boolean;
  /**
   * The handler calls a service over the network, so it cannot work in one transaction. It works in steps, each committed
   * before the next, and resumes the work when it is called with the same work id. A function decides by the body.
   */
  outsideTransaction?: boolean | ((body: never) => boolean);
  /**
   * Largest body in bytes. Defaults to 1 MiB, on a box's routes for shoppers to 64 KiB; for an upload, to the sizes of its
   * files and 1 MiB.
   */
  bodyLimit?: number;
  /**
   * The rate class of its requests; `false` for no limit. By default a GET is a `read`, a change without authentication a
   * `login`, and any other change a `write`.
   */
  rateLimit?: RateClass | false;
  /** Accepts `?fields=` with field names of the items (or of the response); the handler gets them as `fields`. */
  fields?: true;
  /**
   * Accepts If-Match. Set by the engine for a PATCH, PUT or DELETE where a GET of the same path is mounted.
   * `inHandler`: the handler compares the header with that GET's response itself (`ifMatch`), since it does not work in
   * one transaction.
   */
  conditional?: boolean | 'inHandler';
  /** On a GET: a prefix of the ETag, so that it can be read from an If-Match that is stale. */
  etagPrefix?: (result: never) => string;
  /**
   * On a GET: fields of the response that other resources decide. A change of theirs makes a cached copy stale (If-None-Match),
   * but no change of this resource (If-Match).
   */
  unversioned?: readonly string[];
  /** The response is the one of the GET of the same path, so it carries that ETag. Set by the engine. */
  returnsRepresentation?: boolean;
  /** A change that accepts a cookie, so it is protected against cross-site requests. Set by the engine. */
  cookieWrites?: boolean;
  /** Cache-Control of a success response; defaults to `no-store`. */
  cacheControl?: string;
  /**
   * Anybody may read the response, and gets the same: caches may keep it, and revalidate it by its ETag. In place of
   * `cacheControl`, on a GET without or with an optional credential.
   */
  shared?: true;
  /** True for a result that must not be stored by caches (`no-store`), whatever `cacheControl` says. */
  isPrivate?: (result: never) => boolean;
  /**
   * Whether the response to a caller depends on who they are, so that it is for them alone: it has the Cache-Control
   * `private, no-store` in place of `cacheControl`. Called with what the handler gets.
   */
  isPersonal?: (input: never) => boolean;
  /** A route that is not in the contract; releases and docs/routes.md mark these. */
  beyond?: true;
}

type Shape<T> = [T] extends [TObject] ? Static<T> : T extends TSchema ? Static<T> : unknown;

/** The parts of a declaration that may differ between applications. Access may not: the handler's types depend on it. */
export type RouteOverrides = Partial<Omit<RouteDeclaration, 'access'>>;

/** The input of a handler, besides the services of its application. */
export interface RouteInput<Params, Query, Body, Files = unknown> {
  params: Params;
  query: Query;
  body: Body;
  /** The selected fields of a route with `fields: true`; null for all. */
  fields: ReadonlySet<string> | null;
  /** The files of a route with `upload`. */
  files: Files;
  /** The If-Match header of a route with `conditional: 'inHandler'`; null for none. */
  ifMatch: IfMatch | null;
}

/** What handlers get of their caller, by the name of the access kind that authenticated it, and for `public`. */
type ByAccess = object;

/** The access that a route of an application may declare: unknown kinds do not compile. */
export type AccessOf<Callers extends ByAccess> = NameIn<Callers> | readonly Exclude<NameIn<Callers>, 'public'>[];
type NameIn<Callers> = keyof Callers & string;

/** What a handler gets of the caller of a route with this access; a union where the route declares several kinds. */
export type CallerOf<Callers extends ByAccess, Access> = Access extends readonly (infer Name)[]
  ? Callers[Name & keyof Callers]
  : Callers[Access & keyof Callers];

export interface Route<Services> {
  readonly declaration: RouteDeclaration;
  /**
   * The parts of the declaration that depend on the application that mounts it, such as schemas and problems with
   * contributions of other packages. Called once, when the route is mounted.
   */
  readonly overrides?: (application: never) => RouteOverrides;
  /** The GET of the same path, whose response a conditional change is compared with. Set by the engine. */
  readonly readRoute?: Route<Services>;
  readonly handler: (input: Services & RouteInput<never, never, never, never>) => Promise<unknown> | unknown;
}

/** The type of a path's parameters: `/orders/:id/notes/:noteId` gives `{ id: string; noteId: string }`. */
export type PathParams<Path extends string> = Path extends `${infer _}:${infer Name}/${infer Rest}`
  ? { [key in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${infer _}:${infer Name}`
    ? { [key in Name]: string }
    : unknown;

type ParamsOf<Path extends string, Params> = unknown extends Params
  ? PathParams<Path>
  : Params extends TSchema
    ? Shape<Params>
    : PathParams<Path>;

/** The parts of a declaration that determine the handler's types. */
type TypedParts = 'path' | 'access' | 'params' | 'query' | 'body' | 'response' | 'upload' | 'streamed';

type Result<Response, Streamed> = Streamed extends true
  ? Chunks
  : Response extends TSchema
    ? Static<Response>
    : unknown;

/**
 * Returns the `route` function of an application whose handlers get `Services`, and the caller that `Callers` has for the
 * access of their route: using a caller that the declared access does not provide does not compile. `Common` is what all
 * their declarations have, such as a method that handlers with these services need.
 * @example const route = routeFor<{ db: Database }, { public: unknown; staff: { staff: Staff } }>();
 *          export const readOrder = route({ method: 'get', path: '/orders/:id', … }, ({ db, params }) => …);
 */
export function routeFor<Services, Callers extends ByAccess = Record<string, unknown>, Common = unknown>() {
  return function route<
    const Path extends string,
    const Access extends AccessOf<Callers>,
    Params extends TSchema | undefined = undefined,
    Query extends TSchema | undefined = undefined,
    Body extends TSchema | undefined = undefined,
    Response extends TSchema | undefined = undefined,
    const Upload extends UploadDeclaration | undefined = undefined,
    const Streamed extends true | undefined = undefined,
  >(
    declaration: Omit<RouteDeclaration, TypedParts> & {
      path: Path;
      access: Access;
      params?: Params;
      query?: Query;
      body?: Body;
      response?: Response;
      upload?: Upload;
      streamed?: Streamed;
    } & Common,
    handler: (
      input: Services &
        CallerOf<Callers, Access> &
        RouteInput<
          Params extends TSchema ? ParamsOf<Path, Params> : PathParams<Path>,
          Query extends TSchema ? Static<Query> : unknown,
          Body extends TSchema ? Static<Body> : unknown,
          FilesOf<Upload>
        >,
    ) => Promise<Result<Response, Streamed>> | Result<Response, Streamed>,
  ): Route<Services> {
    return { declaration: declaration as RouteDeclaration, handler: handler as unknown as Route<Services>['handler'] };
  };
}

/** The names of a path's parameters, in order. */
export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
}

/** Whether the handler of this request works outside a transaction, in steps. */
export function worksOutsideTransaction({ outsideTransaction = false }: RouteDeclaration, body: unknown): boolean {
  return typeof outsideTransaction === 'function' ? outsideTransaction(body as never) : outsideTransaction;
}

/** The access kinds of a declaration; empty for a public route. */
export function accessKindsOf(declaration: RouteDeclaration): readonly string[] {
  const kinds = typeof declaration.access === 'string' ? [declaration.access] : declaration.access;
  return kinds.filter((kind) => kind !== 'public');
}
