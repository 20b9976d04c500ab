/**
 * An HTTP client for tests, with or without a credential.
 */
import { hashToken } from '../http/credentials.ts';
import { recordResponse } from './recent.ts';

export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of all shapes.
  body: any;
}

export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client with fixed headers. A shopper also stores the session that the box issues. */
export interface Caller {
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, options?: CallOptions): Promise<Answer>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Headers sent with every call. */
  readonly headers: Record<string, string>;
}

/** Creates a caller. @param keepSession send the X-Session-Id of earlier responses */
export function callerOf(url: string, headers: Record<string, string> = {}, keepSession = false): Caller {
  const own = { ...headers };
  const call = async (method: string, path: string, { body, headers: more }: CallOptions = {}): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...own, ...(body !== undefined && { 'content-type': 'application/json' }), ...more },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      redirect: 'manual',
    });
    const session = response.headers.get('x-session-id');
    if (keepSession && session) own['x-session-id'] = session;
    const text = await response.text();
    const { status } = response;
    const type = response.headers.get('content-type') ?? '';
    const problem = /problem\+json/.test(type) ? text : undefined;
    recordResponse({ method, path, status, requestId: response.headers.get('x-request-id'), problem });
    const isJson = /json/.test(type);
    return { status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  };
  return {
    headers: own,
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
    put: (path, body, options) => call('PUT', path, { ...options, body }),
    patch: (path, body, options) => call('PATCH', path, { ...options, body }),
    delete: (path, options) => call('DELETE', path, options),
  };
}

/** A shopper's session as the box stores it: the hash of its name (box/session-token.ts). */
export function sessionHashOf({ headers }: Pick<Caller, 'headers'>): string {
  return hashToken((headers['x-session-id'] as string).slice(0, 43));
}

/** The JSON pointers in a validation problem, without duplicates: a field may violate several rules. */
export function pointersOf({ body }: Pick<Answer, 'body'>): string[] {
  return [...new Set<string>(body.errors.map(({ pointer }: { pointer: string }) => pointer))];
}

/** The body of a success. @throws Error with any other response */
export async function bodyOf(response: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await response;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  // biome-ignore lint/suspicious/noExplicitAny: the body of any response.
  return body as any;
}
