/**
 * Calls of the box's API.
 */

// biome-ignore lint/suspicious/noExplicitAny: responses have many schemas.
export type ResponseBody = any;
export type Call = (method: string, path: string, body?: unknown) => Promise<ResponseBody>;

/** A call that did not succeed, by its status. */
class CallError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Sends JSON, or a form as it is. */
export function caller(boxUrl: string, headers: Record<string, string>): Call {
  return async (method, path, body) => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(`${boxUrl}${path}`, {
      method,
      headers: { ...headers, ...(isJson && { 'content-type': 'application/json' }) },
      body: isJson ? JSON.stringify(body) : (body as FormData | undefined),
    });
    const text = await response.text();
    const result = text ? JSON.parse(text) : {};
    if (!response.ok) {
      throw new CallError(response.status, `${method} ${path} returned ${response.status}: ${result.detail ?? text}`);
    }
    return result;
  };
}

/** Returns the result of a call, or null if it failed with the status. */
export async function orNull(call: Promise<ResponseBody>, status = 404): Promise<ResponseBody | null> {
  return call.catch((error) => {
    if (error instanceof CallError && error.status === status) return null;
    throw error;
  });
}
