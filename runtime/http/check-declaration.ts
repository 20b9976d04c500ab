/**
 * Checks declarations for combinations that the types cannot exclude, when their routes are mounted.
 */
import type { RouteDeclaration } from './route.ts';

/** @throws Error when a declaration with `streamed` is inconsistent */
export function checkStreamed({
  operationId,
  streamed,
  mediaType,
  response,
  method,
  idempotent,
}: RouteDeclaration): void {
  if (!streamed) return;
  if (!mediaType || response) throw new Error(`${operationId} is streamed, so it needs a mediaType and no response`);
  if (method !== 'get' && method !== 'post')
    throw new Error(`${operationId} is streamed, so it must be a GET or a POST`);
  if (idempotent) throw new Error(`${operationId} cannot be idempotent: a streamed response is not stored`);
}

/** @throws Error when a declaration with `shared` is inconsistent */
export function checkShared({ operationId, shared, method, access, cacheControl, file }: RouteDeclaration): void {
  if (!shared) return;
  const isOpen = [access].flat().every((kind) => kind === 'public' || kind === 'session');
  if (method !== 'get' || !isOpen || cacheControl !== undefined || file)
    throw new Error(`${operationId} is shared, so it must be a GET for everybody, without a cacheControl or a file`);
}

/** @throws Error when a declaration with `file` is inconsistent */
export function checkFile({ operationId, file, streamed, mediaType, response, method }: RouteDeclaration): void {
  if (!file) return;
  if (!mediaType || response || streamed) {
    throw new Error(`${operationId} returns a file, so it needs a mediaType and neither a response nor streamed`);
  }
  if (method !== 'get') throw new Error(`${operationId} returns a file, so it must be a GET`);
}

/** @throws Error when a declaration with `upload` is inconsistent */
export function checkUpload({ operationId, upload, body, idempotent }: RouteDeclaration): void {
  if (!upload) return;
  const fields = Object.keys(body?.properties ?? {});
  const duplicate = Object.keys(upload.files).find((name) => fields.includes(name));
  if (duplicate) throw new Error(`${operationId} declares ${duplicate} as a file and as a field`);
  if (body && !body.properties) throw new Error(`${operationId} accepts a form, so its body must be an object`);
  if (upload.raw && (body || upload.streamed || Object.keys(upload.files).length !== 1)) {
    throw new Error(`${operationId} accepts one raw file, so it must not have fields, further files or streamed`);
  }
  if (upload.streamed && idempotent) {
    throw new Error(`${operationId} cannot be idempotent: its files are still unknown when the handler starts`);
  }
}
