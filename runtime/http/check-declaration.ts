/**
 * What a declaration cannot say, found as its route is mounted.
 */
import type { RouteDeclaration } from './route.ts';

/** @throws Error when a declaration with `streamed` says what cannot be */
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
  if (idempotent) throw new Error(`${operationId} cannot be idempotent: a streamed answer is not kept`);
}

/** @throws Error when a declaration with `upload` says what cannot be */
export function checkUpload({ operationId, upload, body, idempotent }: RouteDeclaration): void {
  if (!upload) return;
  const fields = Object.keys(body?.properties ?? {});
  const twice = Object.keys(upload.files).find((name) => fields.includes(name));
  if (twice) throw new Error(`${operationId} declares ${twice} as a file and as a field`);
  if (body && !body.properties) throw new Error(`${operationId} takes a form, so its body must be an object`);
  if (upload.streamed && idempotent) {
    throw new Error(`${operationId} cannot be idempotent: its files are not known before the work begins`);
  }
}
