/**
 * Uploads files to a box as staff, and downloads them as visitors.
 */
import type { LoadTenant } from '../../tools/load/tenant.ts';

/** Milliseconds for one request; far more than the box may take. */
const timeLimit = 180_000;

export interface MediaResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: responses have many schemas.
  body: any;
}

export interface Download {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

export interface MediaClient {
  /** Uploads a form with the file. @throws Error if there is no response */
  upload(content: Blob, name: string): Promise<MediaResponse>;
  read(path: string): Promise<MediaResponse>;
  remove(id: string): Promise<MediaResponse>;
  /** @throws Error if the connection is closed before the end of the file */
  download(path: string, headers?: Record<string, string>): Promise<Download>;
}

export function mediaClient(url: string, { staffHeaders, tenantHeaders }: LoadTenant): MediaClient {
  const send = async (method: string, path: string, body?: FormData): Promise<MediaResponse> => {
    const signal = AbortSignal.timeout(timeLimit);
    const response = await fetch(url + path, { method, headers: staffHeaders, signal, ...(body && { body }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : null };
  };
  return {
    upload(content, name) {
      const form = new FormData();
      form.append('file', content, name);
      return send('POST', '/admin/media', form);
    },
    read: (path) => send('GET', path),
    remove: (id) => send('DELETE', `/admin/media/${id}`),
    async download(path, more = {}) {
      const signal = AbortSignal.timeout(timeLimit);
      const response = await fetch(url + path, { headers: { ...tenantHeaders, ...more }, signal });
      return {
        status: response.status,
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
  };
}

/** Whether a response is a problem with a status of the list, and says when to try again if it is not final. */
export function isProblem({ status, headers, body }: MediaResponse, statuses: readonly number[]): boolean {
  const isFinal = status !== 429 && status !== 503;
  const says = /^application\/problem\+json/.test(headers.get('content-type') ?? '') && typeof body?.code === 'string';
  return statuses.includes(status) && says && (isFinal || headers.get('retry-after') !== null);
}
