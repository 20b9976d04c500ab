/**
 * Errors as callers see them: application/problem+json (RFC 9457) with a stable `code`. A problem is defined once,
 * declared by the routes that may return it, and thrown.
 */
import { vendor } from '../vendor.ts';
import type { TSchema } from './schemas.ts';

/** A problem type: a stable code, its HTTP status and a title that is the same for every occurrence. */
export interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** Extension members (RFC 9457, section 3.2), by name; the thrower passes their values. */
  readonly members?: Readonly<Record<string, TSchema>>;
}

/** A violation of the request schema: `pointer` is a JSON pointer (RFC 6901) into the named part. */
export interface FieldError {
  in: 'body' | 'query' | 'path' | 'header';
  pointer: string;
  detail: string;
}

export interface ProblemExtras {
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** Values of the members that the problem type declares. */
  members?: Record<string, unknown>;
}

/** A thrown problem. Create it with its definition; never throw a plain Error for a fault of the caller. */
export class Problem extends Error {
  readonly type: ProblemType;
  readonly errors: FieldError[] | undefined;
  readonly headers: Record<string, string>;
  readonly members: Record<string, unknown>;

  constructor(type: ProblemType, detail?: string, extras: ProblemExtras = {}) {
    super(detail ?? type.title);
    this.type = type;
    this.errors = extras.errors;
    this.headers = extras.headers ?? {};
    this.members = extras.members ?? {};
  }

  /** The response body; `instance` identifies the request in the logs. */
  toJSON(requestId: string) {
    const { code, status, title } = this.type;
    return {
      ...this.members,
      type: problemUri(code),
      title,
      status,
      detail: this.message,
      code,
      instance: `urn:request:${requestId}`,
      ...(this.errors && { errors: this.errors }),
    };
  }
}

/** A problem type that is also the function that creates the problem to throw. */
export type ProblemDefinition = ProblemType & ((detail?: string, extras?: ProblemExtras) => Problem);

/** The `type` member of a problem: a URN, not a locator (RFC 9457, section 3.1.1). */
export function problemUri(code: string): string {
  return `urn:${vendor.name}:problem:${code}`;
}

/**
 * Defines a problem.
 * @example const cartEmpty = defineProblem({ code: 'cart_empty', status: 409, title: 'The cart is empty' });
 *          throw cartEmpty('Add an item before checking out.');
 */
export function defineProblem(type: ProblemType): ProblemDefinition {
  const create = (detail?: string, extras?: ProblemExtras) => new Problem(type, detail, extras);
  return Object.assign(create, type);
}

/** The problems of the engine itself; an operation's declaration determines which of them it can return. */
export const invalidRequest = defineProblem({ code: 'invalid_request', status: 400, title: 'The request is invalid' });
/**
 * Returns invalid_request (400) for a field of the body, for rules that a schema cannot express.
 * @param pointer JSON pointer (RFC 6901) to the field: `/variants/0/sku`
 */
export function invalidField(pointer: string, detail: string): Problem {
  return invalidRequest(`body ${pointer}: ${detail}`, { errors: [{ in: 'body', pointer, detail }] });
}
/** An invalid_request (400) for a period whose end is not after its start, at both fields. @param start and `end` are names of fields of the body */
export function emptyPeriod(start: string, end: string): Problem {
  const detail = `${end} must be later than ${start}`;
  const errors = [start, end].map((name) => ({ in: 'body' as const, pointer: `/${name}`, detail }));
  return invalidRequest(`body /${end}: ${detail}`, { errors });
}
export const malformedJson = defineProblem({
  code: 'malformed_json',
  status: 400,
  title: 'The request body is not valid JSON',
});
export const unauthenticated = defineProblem({
  code: 'unauthenticated',
  status: 401,
  title: 'Authentication is required',
});
export const forbidden = defineProblem({
  code: 'forbidden',
  status: 403,
  title: 'The caller lacks the required permission',
});
export const notFound = defineProblem({ code: 'not_found', status: 404, title: 'Not found' });
export const methodNotAllowed = defineProblem({
  code: 'method_not_allowed',
  status: 405,
  title: 'The method is not allowed for this resource',
});
export const idempotencyConflict = defineProblem({
  code: 'idempotency_key_reused',
  status: 409,
  title: 'The Idempotency-Key was already used for a different request',
});
export const idempotencyKeyBusy = defineProblem({
  code: 'idempotency_key_busy',
  status: 409,
  title: 'A request with this Idempotency-Key is in progress',
});
export const crossSiteRequest = defineProblem({
  code: 'cross_site_request',
  status: 403,
  title: 'Cross-site requests with cookies are not allowed',
});
export const requestTimeout = defineProblem({
  code: 'request_timeout',
  status: 408,
  title: 'The request body did not arrive in time',
});
export const preconditionFailed = defineProblem({
  code: 'precondition_failed',
  status: 412,
  title: 'The resource does not match the If-Match header',
});
export const bodyTooLarge = defineProblem({
  code: 'body_too_large',
  status: 413,
  title: 'The request body is too large',
});
export const unsupportedMediaType = defineProblem({
  code: 'unsupported_media_type',
  status: 415,
  title: 'The request body must be application/json',
});
export const rangeNotSatisfiable = defineProblem({
  code: 'range_not_satisfiable',
  status: 416,
  title: 'The file has none of the requested bytes',
});
export const malformedForm = defineProblem({
  code: 'malformed_form',
  status: 400,
  title: 'The request body is not a valid form',
});
export const formRequired = defineProblem({
  code: 'form_required',
  status: 415,
  title: 'The request body must be multipart/form-data',
});
export const unsupportedFileType = defineProblem({
  code: 'unsupported_file_type',
  status: 415,
  title: 'The media type of a file is not supported',
});
/** Returned before the request reaches a route (server.ts). */
export const headersTooLarge = defineProblem({
  code: 'headers_too_large',
  status: 431,
  title: 'The URL or the headers are too long',
});
export const tooManyRequests = defineProblem({ code: 'too_many_requests', status: 429, title: 'Too many requests' });
export const internalError = defineProblem({
  code: 'internal_error',
  status: 500,
  title: 'Internal server error',
});
export const unavailable = defineProblem({
  code: 'unavailable',
  status: 503,
  title: 'The service is temporarily unavailable',
});
