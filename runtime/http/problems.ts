/**
 * Errors as the caller sees them: application/problem+json (RFC 9457) with a stable `code`.
 * A problem is defined once, declared by the routes that may answer it, and thrown.
 */
import { vendor } from '../vendor.ts';
import type { TSchema } from './schemas.ts';

/** One way a request can fail: a stable code, its HTTP status and a title that never changes. */
export interface ProblemType {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** What it tells besides (RFC 9457, section 3.2), by name; whoever throws it gives the values. */
  readonly members?: Readonly<Record<string, TSchema>>;
}

/** Where a request breaks its schema: `pointer` is a JSON pointer (RFC 6901) into the named part. */
export interface FieldError {
  in: 'body' | 'query' | 'path' | 'header';
  pointer: string;
  detail: string;
}

export interface ProblemExtras {
  errors?: FieldError[];
  headers?: Record<string, string>;
  /** Values of the members that the problem's type declares. */
  members?: Record<string, unknown>;
}

/** A failure on its way to the caller. Throw what a definition makes; never a plain Error for a caller's fault. */
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

  /** The body of the answer; `instance` names the request so that it can be found in the log. */
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

/** A problem type that is also the function which makes the problem to throw. */
export type ProblemDefinition = ProblemType & ((detail?: string, extras?: ProblemExtras) => Problem);

/** The `type` member of a problem: a name, not an address (RFC 9457, section 3.1.1). */
export function problemUri(code: string): string {
  return `urn:${vendor.name}:problem:${code}`;
}

/**
 * Defines a problem.
 * @example const cartEmpty = defineProblem({ code: 'cart_empty', status: 409, title: 'The cart is empty' });
 *          throw cartEmpty('Add an item before checking out.');
 */
export function defineProblem(type: ProblemType): ProblemDefinition {
  const make = (detail?: string, extras?: ProblemExtras) => new Problem(type, detail, extras);
  return Object.assign(make, type);
}

/** What the engine itself answers; which of them an operation can give follows from its declaration. */
export const invalidRequest = defineProblem({ code: 'invalid_request', status: 400, title: 'The request is invalid' });
/**
 * invalid_request (400) for one field of the body that its schema cannot judge.
 * @param pointer JSON pointer (RFC 6901) to the field: `/variants/0/sku`
 */
export function invalidField(pointer: string, detail: string): Problem {
  return invalidRequest(`body ${pointer}: ${detail}`, { errors: [{ in: 'body', pointer, detail }] });
}
export const malformedJson = defineProblem({
  code: 'malformed_json',
  status: 400,
  title: 'The body is not valid JSON',
});
export const unauthenticated = defineProblem({
  code: 'unauthenticated',
  status: 401,
  title: 'A valid credential is required',
});
export const forbidden = defineProblem({ code: 'forbidden', status: 403, title: 'This credential may not do that' });
export const notFound = defineProblem({ code: 'not_found', status: 404, title: 'Not found' });
export const methodNotAllowed = defineProblem({
  code: 'method_not_allowed',
  status: 405,
  title: 'This method is not allowed here',
});
export const idempotencyConflict = defineProblem({
  code: 'idempotency_key_reused',
  status: 409,
  title: 'This Idempotency-Key was used with another request',
});
export const idempotencyKeyBusy = defineProblem({
  code: 'idempotency_key_busy',
  status: 409,
  title: 'A request with this Idempotency-Key is being worked on',
});
export const crossSiteRequest = defineProblem({
  code: 'cross_site_request',
  status: 403,
  title: 'This was sent by a page of another site',
});
export const requestTimeout = defineProblem({
  code: 'request_timeout',
  status: 408,
  title: 'The body did not arrive in time',
});
export const preconditionFailed = defineProblem({
  code: 'precondition_failed',
  status: 412,
  title: 'The resource is not what the request takes it for',
});
export const bodyTooLarge = defineProblem({ code: 'body_too_large', status: 413, title: 'The body is too large' });
export const unsupportedMediaType = defineProblem({
  code: 'unsupported_media_type',
  status: 415,
  title: 'The body must be application/json',
});
export const malformedForm = defineProblem({
  code: 'malformed_form',
  status: 400,
  title: 'The body is not a valid form',
});
export const formRequired = defineProblem({
  code: 'form_required',
  status: 415,
  title: 'The body must be multipart/form-data',
});
export const unsupportedFileType = defineProblem({
  code: 'unsupported_file_type',
  status: 415,
  title: 'A file is not of a type that is taken here',
});
/** Answered before the request reaches a route (server.ts). */
export const headersTooLarge = defineProblem({
  code: 'headers_too_large',
  status: 431,
  title: 'The address or the headers are too long',
});
export const tooManyRequests = defineProblem({ code: 'too_many_requests', status: 429, title: 'Too many requests' });
export const internalError = defineProblem({
  code: 'internal_error',
  status: 500,
  title: 'Something went wrong on our side',
});
export const unavailable = defineProblem({
  code: 'unavailable',
  status: 503,
  title: 'The service is not available at the moment',
});
