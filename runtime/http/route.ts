/**
 * One declaration feeds the router, validation, types, credentials, the document and the tests.
 * A route that is not declared cannot be mounted; a declaration without a handler cannot exist.
 */
import type { IfMatch } from './if-match.ts';
import type { ProblemType } from './problems.ts';
import type { RateClass } from './rate-limit.ts';
import type { Static, TObject, TSchema } from './schemas.ts';
import type { Chunks } from './streamed.ts';
import type { FilesOf, UploadDeclaration } from './upload.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** What an operation promises. `path` is in Koa's form (`/orders/:id`). */
export interface RouteDeclaration<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  method: Method;
  path: string;
  /** Unique verb and noun: the name of the function in a generated client. */
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  /** Name of the access kind that answers who may call; `public` asks for nothing. Several: the first that accepts. */
  access: string | readonly string[];
  /**
   * The right a caller needs beyond the credential. A package's staff routes get `<package>:read` or `:write` by
   * themselves; `false` asks for none (a route about the caller alone).
   */
  permission?: string | false;
  /** Parameters in the path. Left out, each is a string, and one called `id` or `...Id` a UUID. */
  params?: Params;
  query?: Query;
  body?: Body;
  /** Accept a request without a body although one is declared. */
  bodyOptional?: boolean;
  /** The body is a form with these files; its text fields are `body`. The handler is given them as `files`. */
  upload?: UploadDeclaration;
  status: 200 | 201 | 202 | 204;
  /** Shape of the answer; nothing undeclared leaves. Absent with 204, or when `mediaType` is not JSON. */
  response?: Response;
  mediaType?: string;
  /**
   * The handler answers an async iterable of strings or bytes, which are sent as they are made, in the declared
   * `mediaType`. It is ended when the reader goes away. What it throws before its first piece is answered as a problem;
   * later the connection is cut. Its statements have the usual time each, not all together.
   */
  streamed?: true;
  /** Template of the Location header, filled from the answer: `/orders/{id}`. */
  location?: string;
  /** Every outcome besides success and what the engine itself answers. */
  problems?: readonly ProblemType[];
  /** Takes an Idempotency-Key: the same key answers the same, once. */
  idempotent?: boolean;
  /**
   * The handler calls a service over the network, so its work is no one transaction: it is done in steps, each kept
   * before the next, and the handler takes it up again when it is called with the same id of the work. A function
   * decides by the body.
   */
  outsideTransaction?: boolean | ((body: never) => boolean);
  /** Largest body in bytes; 1 MiB unless told, of an upload what its files may have and 1 MiB. */
  bodyLimit?: number;
  /**
   * What its requests count as for the rate limits; `false` for not at all. Left out, a GET is a `read`, a change
   * without a credential a `login`, any other change a `write`.
   */
  rateLimit?: RateClass | false;
  /** Takes `?fields=` with names of the item's (or the answer's) fields; the handler is given them as `fields`. */
  fields?: true;
  /**
   * Takes If-Match. Written by the engine for a PATCH, PUT or DELETE where a GET of the same path is mounted.
   * `inHandler`: the handler holds the header against that GET's answer by itself (`ifMatch`), since its work is no one
   * transaction.
   */
  conditional?: boolean | 'inHandler';
  /** Of a GET: what the ETag of an answer begins with, so that it can be read from an If-Match that is stale. */
  etagPrefix?: (answer: never) => string;
  /** Answers what the GET of the same path answers, so with its ETag. Written by the engine. */
  returnsRepresentation?: boolean;
  /** A change whose credential may be a cookie, so pages of other sites are kept from it. Written by the engine. */
  cookieWrites?: boolean;
  /** Cache-Control of a successful answer; `no-store` unless told. */
  cacheControl?: string;
  /** One of the routes that people need and the contract's list lacks: the catalogue counts them apart. */
  beyond?: true;
}

type Shape<T> = [T] extends [TObject] ? Static<T> : T extends TSchema ? Static<T> : unknown;

/** What of a declaration may differ between applications. Who may call is not: the handler was written for them. */
export type RouteOverrides = Partial<Omit<RouteDeclaration, 'access'>>;

/** What a handler is given besides the services of its application. */
export interface RouteInput<Params, Query, Body, Files = unknown> {
  params: Params;
  query: Query;
  body: Body;
  /** The fields that are wanted, of a route with `fields: true`; null for all. */
  fields: ReadonlySet<string> | null;
  /** The files of a route with `upload`. */
  files: Files;
  /** The If-Match of a route that looks at it by itself; null for none. */
  ifMatch: IfMatch | null;
}

/**
 * What an application's handlers are given of their caller, by the name of the access kind that let them in, and as
 * `public` where none was asked for.
 */
type ByAccess = object;

/** The access that a route of such an application may declare: a kind that it does not know does not compile. */
export type AccessOf<Callers extends ByAccess> = NameIn<Callers> | readonly Exclude<NameIn<Callers>, 'public'>[];
type NameIn<Callers> = keyof Callers & string;

/** What is given of the caller of a route with this access; where it names several kinds, what any one of them gives. */
export type CallerOf<Callers extends ByAccess, Access> = Access extends readonly (infer Name)[]
  ? Callers[Name & keyof Callers]
  : Callers[Access & keyof Callers];

export interface Route<Services> {
  readonly declaration: RouteDeclaration;
  /**
   * What of the declaration depends on the application that mounts it: its shapes and problems may take in what others
   * contribute there. Asked once, as the route is mounted.
   */
  readonly overrides?: (application: never) => RouteOverrides;
  /** The GET of the same path, which says what a conditional change is held against. Found by the engine. */
  readonly readRoute?: Route<Services>;
  readonly handler: (input: Services & RouteInput<never, never, never, never>) => Promise<unknown> | unknown;
}

/** The names in a path written as a type: `/orders/:id/notes/:noteId` gives `{ id: string; noteId: string }`. */
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

/** What of a declaration the handler's types follow from. */
type TypedParts = 'path' | 'access' | 'params' | 'query' | 'body' | 'response' | 'upload' | 'streamed';

type Answer<Response, Streamed> = Streamed extends true
  ? Chunks
  : Response extends TSchema
    ? Static<Response>
    : unknown;

/**
 * The `route` function of an application whose handlers get `Services`, and by the access of their route what `Callers`
 * says of it: who touches a caller that the declared access does not let in, does not compile.
 * @example const route = routeFor<{ db: Database }, { public: unknown; staff: { staff: Staff } }>();
 *          export const readOrder = route({ method: 'get', path: '/orders/:id', … }, ({ db, params }) => …);
 */
export function routeFor<Services, Callers extends ByAccess = Record<string, unknown>>() {
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
    },
    handler: (
      input: Services &
        CallerOf<Callers, Access> &
        RouteInput<
          Params extends TSchema ? ParamsOf<Path, Params> : PathParams<Path>,
          Query extends TSchema ? Static<Query> : unknown,
          Body extends TSchema ? Static<Body> : unknown,
          FilesOf<Upload>
        >,
    ) => Promise<Answer<Response, Streamed>> | Answer<Response, Streamed>,
  ): Route<Services> {
    return { declaration: declaration as RouteDeclaration, handler: handler as unknown as Route<Services>['handler'] };
  };
}

/** The names of the parameters in a path, in order. */
export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
}

/** Whether this request's work is done in steps. */
export function isInSteps({ outsideTransaction = false }: RouteDeclaration, body: unknown): boolean {
  return typeof outsideTransaction === 'function' ? outsideTransaction(body as never) : outsideTransaction;
}

/** Access kinds of a declaration as a list; empty for a public route. */
export function accessKindsOf(declaration: RouteDeclaration): readonly string[] {
  const kinds = typeof declaration.access === 'string' ? [declaration.access] : declaration.access;
  return kinds.filter((kind) => kind !== 'public');
}
