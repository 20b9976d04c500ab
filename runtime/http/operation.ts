/**
 * The steps of serving a route: authentication, reading the input, and writing the response, all by its declaration.
 */

import type { Context } from 'koa';
import { defaultBodyDeadline, readBody, readBytes, withDeadline } from './body.ts';
import { withoutCampaign } from './campaign-parameters.ts';
import type { AccessKind } from './credentials.ts';
import { mendEmptyTexts } from './empty-texts.ts';
import { partialOf, selectedOf, selectFrom } from './fields.ts';
import { HtmlDocument } from './html-document.ts';
import { changesForgotten, takesUpdatedAfter } from './integration.ts';
import { pointerTo } from './pointer.ts';
import { etagExcept, etagOf, matchesWeakly } from './preconditions.ts';
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
  rangeNotSatisfiable,
  requestTimeout,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedFileType,
  unsupportedMediaType,
} from './problems.ts';
import { refuseOtherEncodings, withOffsets, withoutEmpty } from './query-texts.ts';
import { type RefusalReport, serializeRepaired } from './repair.ts';
import { accessKindsOf, pathParameterNames, type RouteDeclaration } from './route.ts';
import { object, RawBody, type TObject, type TSchema, Type, Uuid } from './schemas.ts';
import { validate } from './validation.ts';

/** A response before it is written to the connection; also what an Idempotency-Key replays. */
export interface Reply {
  status: number;
  body: string | PreparedBody | null;
  headers: Record<string, string>;
  /** The ETag of a read, where it is not derived from the body alone. */
  etag?: string | undefined;
}

/**
 * Returns every problem an operation may return: those of the engine that follow from the declaration, and those that
 * the route declares. Enforced when a problem is thrown, and listed in the document.
 */
export function problemsOf(declaration: RouteDeclaration, common: readonly ProblemType[] = []): ProblemType[] {
  const { body, upload, params, query, path, permission, idempotent, outsideTransaction, problems = [] } = declaration;
  const isTyped = Object.values(upload?.files ?? {}).some(({ mediaTypes }) => mediaTypes);
  const hasParams = params !== undefined || path.includes(':');
  const all: ProblemType[] = [
    // Any request may have an invalid or duplicate Host header (RFC 9112, section 3.2).
    invalidRequest,
    ...(body || upload ? [requestTimeout, bodyTooLarge] : []),
    ...(upload ? [malformedForm] : []),
    ...(upload && !upload.raw ? [formRequired] : []),
    ...(isTyped ? [unsupportedFileType] : []),
    ...(declaration.file ? [rangeNotSatisfiable] : []),
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

const inferredParams = new Map<string, TSchema | undefined>();

/** The schema of the path parameters: the declared one, else strings, with ids as UUIDs. */
export function paramsSchemaOf(declaration: RouteDeclaration): TSchema | undefined {
  const { params, path } = declaration;
  if (params) return params;
  if (!inferredParams.has(path)) inferredParams.set(path, inferParams(path));
  return inferredParams.get(path);
}

function inferParams(path: string): TSchema | undefined {
  const names = pathParameterNames(path);
  if (names.length === 0) return undefined;
  const text = Type.String({ minLength: 1, maxLength: 255 });
  return object(Object.fromEntries(names.map((name) => [name, /^id$|Id$/.test(name) ? Uuid : text])));
}

/** Reads the path parameters. An invalid one cannot identify any resource, so it is 404 rather than 400. */
export function readParams(ctx: Context, declaration: RouteDeclaration): unknown {
  const schema = paramsSchemaOf(declaration);
  if (!schema) return {};
  try {
    const params: Record<string, string> = validate(schema, { ...ctx.params }, 'path');
    // UUIDs are case-insensitive (RFC 9562, section 4); ours are in lower case and compared as text.
    for (const [name, { format }] of Object.entries((schema as TObject).properties)) {
      if (format === 'uuid') params[name] = (params[name] as string).toLowerCase();
    }
    return params;
  } catch (error) {
    if (error instanceof Problem) throw notFound(error.message);
    throw error;
  }
}

/** Reads and validates the query; undeclared parameters are rejected, unless others append them to addresses of pages. */
export function readQuery(ctx: Context, { query, ignoresCampaign }: RouteDeclaration): unknown {
  if (!query) return {};
  const { properties = {}, required = [] } = query as TObject;
  const sent = ignoresCampaign
    ? withoutEmpty(withoutCampaign(ctx.query, properties), properties, required)
    : { ...ctx.query };
  if (ctx.querystring?.includes('%')) {
    refuseNul(sent);
    refuseOtherEncodings(ctx.querystring, properties);
  }
  return validate(query, withOffsets(sent, properties), 'query');
}

/** @throws invalid_request (400) for U+0000 in a parameter, which PostgreSQL cannot store, as in a body */
function refuseNul(query: Readonly<Record<string, string | string[] | undefined>>): void {
  const found = Object.entries(query).find(([, value]) => [value].flat().some((text) => text?.includes('\0')));
  if (!found) return;
  const pointer = pointerTo(found[0]);
  const detail = 'must not contain the character U+0000';
  throw invalidRequest(`query ${pointer}: ${detail}`, { errors: [{ in: 'query', pointer, detail }] });
}

/**
 * Returns the caller, by the first access kind that accepts the request; null only on a public route.
 * @throws unauthenticated (401), forbidden (403)
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
    if (caller === null && kind.optional) throw new Error(`${name} is optional but returned no caller`);
    if (caller === null) continue;
    const { permission } = declaration;
    if (permission && kind.permits && !kind.permits(caller, permission))
      throw forbidden(`The permission ${permission} is required.`);
    return caller;
  }
  const wrong = ctx.get('authorization') === '' ? '' : 'The credential is invalid here, or has expired. ';
  throw unauthenticated(`${wrong}Authenticate as ${names.join(' or ')}.`, {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });
}

/**
 * Reads and validates the body of a route that declares one.
 * @param correct returns what takes the place of a body that is refused, or throws the fault; `check` validates another
 */
export async function readInput(
  ctx: Context,
  declaration: RouteDeclaration,
  deadline = defaultBodyDeadline,
  emptyTextsAreNull = false,
  correct: ((body: unknown, fault: unknown, check: (body: unknown) => unknown) => Promise<unknown>) | null = null,
): Promise<unknown> {
  if (!declaration.body) return undefined;
  const reading = declaration.body === RawBody ? readBytes(ctx, declaration) : readBody(ctx, declaration);
  const body = await withDeadline(ctx, reading, deadline);
  if (declaration.body === RawBody || (body === undefined && declaration.bodyOptional)) return body;
  if (body === undefined) {
    const detail = 'a JSON body is required';
    throw invalidRequest(`body: ${detail}`, { errors: [{ in: 'body', pointer: '', detail }] });
  }
  // Validation converts values in their place.
  const sent = correct && structuredClone(body);
  const schema = declaration.body;
  const check = (value: unknown) => {
    if (emptyTextsAreNull) mendEmptyTexts(schema, value);
    return validate(schema, value, 'body');
  };
  try {
    return check(body);
  } catch (fault) {
    if (!correct) throw fault;
    return correct(sent, fault, check);
  }
}

/**
 * Serializes a handler's result by the route's declaration.
 * @param report receives the values that the schema refuses, and what was done; null to fail instead
 * @param fields the selected fields, if some were selected
 * @throws RefusedValue
 */
export function replyOf(
  declaration: RouteDeclaration,
  result: unknown,
  report: RefusalReport | null,
  fields: ReadonlySet<string> | null = null,
): Reply {
  const { status, response, cacheControl = 'no-store', isPrivate } = declaration;
  const headers: Record<string, string> = {
    'Cache-Control': isPrivate?.(result as never) ? 'no-store' : cacheControl,
  };
  if (declaration.location) headers.Location = fillTemplate(declaration.location, result as Record<string, unknown>);
  if (declaration.mediaType) {
    headers['Content-Type'] = declaration.mediaType;
    if (result instanceof HtmlDocument) headers['Content-Security-Policy'] = result.policy;
    const body = result instanceof PreparedBody ? result : String(result);
    return { status, body, headers };
  }
  if (!response) return { status, body: null, headers };
  headers['Content-Type'] = 'application/json; charset=utf-8';
  const body = fields
    ? serializeRepaired(partialOf(response), selectFrom(result, fields), report, () => selectedOf(response, fields))
    : serializeRepaired(response, result, report);
  const { etagPrefix, unversioned, returnsRepresentation } = declaration;
  const etag = unversioned ? etagExcept(body, unversioned) : undefined;
  if (returnsRepresentation) headers.ETag = etag ?? etagOf(body);
  return { status, body, headers, ...(etagPrefix ? { etag: etagOf(body, etagPrefix(result as never)) } : { etag }) };
}

function fillTemplate(template: string, values: Record<string, unknown>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
}

/** Sends a reply; 304 for a read whose current version the client already has (RFC 9110, section 13.1.2). */
export function send(ctx: Context, reply: Reply): void {
  ctx.status = reply.status;
  ctx.set(reply.headers);
  if (reply.body === null) {
    ctx.body = null;
    ctx.status = reply.status;
    return;
  }
  const prepared = reply.body instanceof PreparedBody ? reply.body.representationFor(ctx) : null;
  if (prepared) ctx.vary('Accept-Encoding');
  if (ctx.method === 'GET' || ctx.method === 'HEAD') {
    const etag = reply.etag ?? prepared?.etag ?? etagOf(reply.body as string);
    ctx.set('ETag', etag);
    const ifNoneMatch = ctx.get('if-none-match');
    if (ifNoneMatch && matchesWeakly(ifNoneMatch, etag)) {
      ctx.status = 304;
      ctx.body = null;
      return;
    }
  }
  if (prepared && prepared.encoding !== 'identity') ctx.set('Content-Encoding', prepared.encoding);
  ctx.body = prepared ? prepared.bytes : reply.body;
}
