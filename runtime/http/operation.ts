/**
 * Serving one route: who calls, what was sent, what the handler answers, in that order, and nothing undeclared.
 */
import type { Context } from 'koa';
import { defaultBodyDeadline, readBody, readBytes, withDeadline } from './body.ts';
import type { AccessKind } from './credentials.ts';
import { partialOf, selectFrom } from './fields.ts';
import { changesForgotten, takesUpdatedAfter } from './integration.ts';
import { etagOf, isHeld } from './preconditions.ts';
import { PreparedBody } from './prepared.ts';
import {
  bodyTooLarge,
  crossSiteRequest,
  forbidden,
  formRequired,
  headersTooLarge,
  idempotencyConflict,
  idempotencyKeyBusy,
  invalidRequest,
  malformedForm,
  malformedJson,
  notFound,
  Problem,
  type ProblemType,
  preconditionFailed,
  requestTimeout,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedFileType,
  unsupportedMediaType,
} from './problems.ts';
import { accessKindsOf, pathParameterNames, type RouteDeclaration } from './route.ts';
import { object, RawBody, type TObject, type TSchema, Type, Uuid } from './schemas.ts';
import { serialize, validate } from './validation.ts';

/** What a route answered, before it is written to the connection; also what an Idempotency-Key replays. */
export interface Reply {
  status: number;
  body: string | PreparedBody | null;
  headers: Record<string, string>;
  /** Of a read, where it is not that of the body alone. */
  etag?: string;
}

/**
 * Every problem an operation may answer: what the engine gives by the declaration, and what the route declares.
 * Enforced when a problem is thrown, and listed in the document.
 */
export function problemsOf(declaration: RouteDeclaration, common: readonly ProblemType[] = []): ProblemType[] {
  const { body, upload, params, query, path, permission, idempotent, outsideTransaction, problems = [] } = declaration;
  const isTyped = Object.values(upload?.files ?? {}).some(({ mediaTypes }) => mediaTypes);
  const hasParams = params !== undefined || path.includes(':');
  const all: ProblemType[] = [
    // Of any: a request whose Host names no host, or more than one (RFC 9112, section 3.2).
    invalidRequest,
    ...(body || upload ? [requestTimeout, bodyTooLarge] : []),
    ...(upload ? [malformedForm, formRequired] : []),
    ...(isTyped ? [unsupportedFileType] : []),
    ...(body && body !== RawBody && !upload ? [malformedJson, unsupportedMediaType] : []),
    ...(accessKindsOf(declaration).length > 0 ? [unauthenticated] : []),
    ...(permission ? [forbidden] : []),
    ...(declaration.cookieWrites ? [crossSiteRequest] : []),
    ...(hasParams ? [notFound] : []),
    ...(declaration.conditional ? [preconditionFailed] : []),
    ...(declaration.rateLimit ? [tooManyRequests] : []),
    ...(takesUpdatedAfter(query) ? [changesForgotten] : []),
    ...(idempotent ? [idempotencyConflict] : []),
    ...(idempotent && outsideTransaction ? [idempotencyKeyBusy] : []),
    headersTooLarge,
    unavailable,
    ...common,
    ...problems,
  ];
  return [...new Map(all.map((problem) => [problem.code, problem])).values()];
}

const inferredParams = new Map<string, TSchema>();

/** The schema of the parameters in the path: declared, or each a string and ids UUIDs. */
export function paramsSchemaOf(declaration: RouteDeclaration): TSchema | undefined {
  if (declaration.params) return declaration.params;
  const names = pathParameterNames(declaration.path);
  if (names.length === 0) return undefined;
  let schema = inferredParams.get(declaration.path);
  if (!schema) {
    const text = Type.String({ minLength: 1, maxLength: 255 });
    schema = object(Object.fromEntries(names.map((name) => [name, /^id$|Id$/.test(name) ? Uuid : text])));
    inferredParams.set(declaration.path, schema);
  }
  return schema;
}

/** The parameters of the path. One that cannot be the name of anything names nothing: 404, not 400. */
export function readParams(ctx: Context, declaration: RouteDeclaration): unknown {
  const schema = paramsSchemaOf(declaration);
  if (!schema) return {};
  try {
    const params: Record<string, string> = validate(schema, { ...ctx.params }, 'path');
    // A UUID may be written in capitals (RFC 9562, section 4); ours are not, and are compared as text.
    for (const [name, { format }] of Object.entries((schema as TObject).properties)) {
      if (format === 'uuid') params[name] = (params[name] as string).toLowerCase();
    }
    return params;
  } catch (error) {
    if (error instanceof Problem) throw notFound(error.message);
    throw error;
  }
}

/** The query, checked; an undeclared parameter is refused like an undeclared field. */
export function readQuery(ctx: Context, declaration: RouteDeclaration): unknown {
  return declaration.query ? validate(declaration.query, { ...ctx.query }, 'query') : {};
}

/**
 * The caller by the first access kind that accepts, null for a public route and no other: handlers of the rest are
 * typed by their access, and have their caller.
 */
export async function authenticate<Scope, Caller>(
  ctx: Context,
  scope: Scope,
  declaration: RouteDeclaration,
  kinds: ReadonlyMap<string, AccessKind<Scope, Caller>>,
): Promise<Caller | null> {
  const names = accessKindsOf(declaration);
  if (names.length === 0) return null;
  for (const name of names) {
    const kind = kinds.get(name) as AccessKind<Scope, Caller>;
    const caller = await kind.authenticate(ctx, scope, declaration);
    if (caller === null && kind.optional) throw new Error(`${name} is optional, and did not say who calls without it`);
    if (caller === null) continue;
    const { permission } = declaration;
    if (permission && kind.permits && !kind.permits(caller, permission)) throw forbidden(`This needs ${permission}.`);
    return caller;
  }
  throw unauthenticated(`Send a credential of: ${names.join(', ')}.`, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** Reads and checks the body of a route that declares one. */
export async function readInput(
  ctx: Context,
  declaration: RouteDeclaration,
  deadline = defaultBodyDeadline,
): Promise<unknown> {
  if (!declaration.body) return undefined;
  const reading = declaration.body === RawBody ? readBytes(ctx, declaration) : readBody(ctx, declaration);
  const body = await withDeadline(ctx, reading, deadline);
  if (declaration.body === RawBody || (body === undefined && declaration.bodyOptional)) return body;
  if (body === undefined) {
    const detail = 'a JSON body is required';
    throw invalidRequest(`body: ${detail}`, { errors: [{ in: 'body', pointer: '', detail }] });
  }
  return validate(declaration.body, body, 'body');
}

/** Writes a handler's answer by the route's declaration, with the wanted fields only where some were named. */
export function replyOf(
  declaration: RouteDeclaration,
  result: unknown,
  fields: ReadonlySet<string> | null = null,
): Reply {
  const { status, response } = declaration;
  const headers: Record<string, string> = { 'Cache-Control': declaration.cacheControl ?? 'no-store' };
  if (declaration.location) headers.Location = fillTemplate(declaration.location, result as Record<string, unknown>);
  if (declaration.mediaType) {
    headers['Content-Type'] = declaration.mediaType;
    const body = result instanceof PreparedBody ? result : String(result);
    return { status, body, headers };
  }
  if (!response) return { status, body: null, headers };
  headers['Content-Type'] = 'application/json; charset=utf-8';
  const body = fields ? serialize(partialOf(response), selectFrom(result, fields)) : serialize(response, result);
  if (declaration.returnsRepresentation) headers.ETag = etagOf(body);
  const { etagPrefix } = declaration;
  return { status, body, headers, ...(etagPrefix && { etag: etagOf(body, etagPrefix(result as never)) }) };
}

function fillTemplate(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** Puts a reply on the wire; a read that the caller already holds is 304 (RFC 9110, section 13.1.2). */
export function send(ctx: Context, reply: Reply): void {
  ctx.status = reply.status;
  ctx.set(reply.headers);
  if (reply.body === null) {
    ctx.body = null;
    ctx.status = reply.status;
    return;
  }
  const form = reply.body instanceof PreparedBody ? reply.body.formFor(ctx) : formOf(reply.body);
  if (reply.body instanceof PreparedBody) ctx.vary('Accept-Encoding');
  if (ctx.method === 'GET' || ctx.method === 'HEAD') {
    const { etag = form.etag } = reply;
    ctx.set('ETag', etag);
    const held = ctx.get('if-none-match');
    if (held && isHeld(held, etag)) {
      ctx.status = 304;
      ctx.body = null;
      return;
    }
  }
  if (form.encoding !== 'identity') ctx.set('Content-Encoding', form.encoding);
  ctx.body = form.bytes;
}

function formOf(body: string) {
  return { encoding: 'identity', bytes: body, etag: etagOf(body) };
}
