/**
 * Serving one route: who calls, what was sent, what the handler answers, in that order, and nothing undeclared.
 */
import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import { readBody } from './body.ts';
import type { AccessKind } from './credentials.ts';
import {
  bodyTooLarge,
  forbidden,
  idempotencyConflict,
  invalidRequest,
  malformedJson,
  notFound,
  Problem,
  type ProblemType,
  unauthenticated,
  unavailable,
  unsupportedMediaType,
} from './problems.ts';
import { accessKindsOf, pathParameterNames, type RouteDeclaration } from './route.ts';
import { object, type TObject, type TSchema, Type, Uuid } from './schemas.ts';
import { serialize, validate } from './validation.ts';

/** What a route answered, before it is written to the connection; also what an Idempotency-Key replays. */
export interface Reply {
  status: number;
  body: string | null;
  headers: Record<string, string>;
}

/**
 * Every problem an operation may answer: what the engine gives by the declaration, and what the route declares.
 * Enforced when a problem is thrown, and listed in the document.
 */
export function problemsOf(declaration: RouteDeclaration, common: readonly ProblemType[] = []): ProblemType[] {
  const { body, query, params, path, permission, idempotent, problems = [] } = declaration;
  const hasParams = params !== undefined || path.includes(':');
  const all: ProblemType[] = [
    ...(body || query || idempotent ? [invalidRequest] : []),
    ...(body ? [malformedJson, bodyTooLarge, unsupportedMediaType] : []),
    ...(accessKindsOf(declaration).length > 0 ? [unauthenticated] : []),
    ...(permission ? [forbidden] : []),
    ...(hasParams ? [notFound] : []),
    ...(idempotent ? [idempotencyConflict] : []),
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

/** The caller by the first access kind that accepts, null for a public route. */
export async function authenticate<Scope>(
  ctx: Context,
  scope: Scope,
  declaration: RouteDeclaration,
  kinds: ReadonlyMap<string, AccessKind>,
): Promise<unknown> {
  const names = accessKindsOf(declaration);
  for (const name of names) {
    const kind = kinds.get(name) as AccessKind;
    const caller = await kind.authenticate(ctx, scope, declaration);
    if (caller === null) continue;
    const { permission } = declaration;
    if (permission && kind.permits && !kind.permits(caller, permission)) throw forbidden(`This needs ${permission}.`);
    return caller;
  }
  if (names.length === 0 || names.some((name) => kinds.get(name)?.optional)) return null;
  throw unauthenticated(`Send a credential of: ${names.join(', ')}.`, { headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** Reads and checks the body of a route that declares one. */
export async function readInput(ctx: Context, declaration: RouteDeclaration): Promise<unknown> {
  if (!declaration.body) return undefined;
  const body = await readBody(ctx, declaration);
  if (body === undefined && declaration.bodyOptional) return undefined;
  if (body === undefined) {
    const detail = 'a JSON body is required';
    throw invalidRequest(`body: ${detail}`, { errors: [{ in: 'body', pointer: '', detail }] });
  }
  return validate(declaration.body, body, 'body');
}

/** Writes a handler's answer by the route's declaration. */
export function replyOf(declaration: RouteDeclaration, result: unknown): Reply {
  const headers: Record<string, string> = { 'Cache-Control': declaration.cacheControl ?? 'no-store' };
  if (declaration.location) headers.Location = fillTemplate(declaration.location, result as Record<string, unknown>);
  if (declaration.mediaType) {
    headers['Content-Type'] = declaration.mediaType;
    return { status: declaration.status, body: String(result), headers };
  }
  if (!declaration.response) return { status: declaration.status, body: null, headers };
  headers['Content-Type'] = 'application/json; charset=utf-8';
  return { status: declaration.status, body: serialize(declaration.response, result), headers };
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
  if (ctx.method === 'GET' || ctx.method === 'HEAD') {
    const etag = `"${createHash('sha1').update(reply.body).digest('base64url')}"`;
    ctx.set('ETag', etag);
    const wanted = ctx.get('if-none-match');
    if (wanted && (wanted === '*' || wanted.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))) {
      ctx.status = 304;
      ctx.body = null;
      return;
    }
  }
  ctx.body = reply.body;
}
