/**
 * What a handler is given of an upload: its fields, held against their schema, and its files, on the disk or as they
 * arrive.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import type { FormReader } from './form-reader.ts';
import { bodyTooLarge, formRequired, invalidRequest, Problem, unavailable } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import type { TSchema } from './schemas.ts';
import { type ArrivingFile, type UploadDeclaration, type UploadedFile, uploadLimit } from './upload.ts';
import { createUploadFolder, removeUploadFolder } from './upload-folder.ts';
import { validate } from './validation.ts';

export interface Received {
  body: unknown;
  files: unknown;
  /** What tells this form from another with the same fields. */
  fingerprint: unknown;
  /** Ends what is still arriving and removes what is on the disk. Throws nothing. */
  discard(): Promise<void>;
}

export interface ReceiveOptions {
  /** Where the folders of requests are made. */
  folder: string;
  /** Milliseconds: see `receiveChunks`. */
  patience: number;
}

const nothing = { body: undefined, files: {}, fingerprint: undefined, discard: async () => {} };

/**
 * Reads a form by its route's `upload`.
 * @throws form_required, unsupported_file_type (415), malformed_form, invalid_request (400), request_timeout (408),
 * body_too_large (413), unavailable (503) while there is no space on the disk
 */
export async function receiveForm(
  ctx: Context,
  declaration: RouteDeclaration,
  options: ReceiveOptions,
): Promise<Received> {
  const { upload, bodyOptional, bodyLimit } = declaration;
  if (bodyOptional && !ctx.get('transfer-encoding') && !Number(ctx.get('content-length'))) return nothing;
  const encoded = ctx.get('content-encoding');
  if (!ctx.is('multipart/form-data') || (encoded && encoded !== 'identity')) {
    throw formRequired(
      encoded ? `The body is encoded: ${encoded}.` : `The body is ${ctx.get('content-type') || 'of no named type'}.`,
    );
  }
  const limit = bodyLimit ?? uploadLimit(upload as UploadDeclaration);
  if (Number(ctx.get('content-length')) > limit) throw bodyTooLarge(`The limit is ${limit} bytes.`);
  return upload?.streamed ? receiveStreamed(ctx, declaration, options) : receiveToDisk(ctx, declaration, options);
}

/** Not loaded before the first form. */
async function openForm(
  ctx: Context,
  declaration: RouteDeclaration,
  options: ReceiveOptions,
  takeFile: (file: ArrivingFile) => Promise<void>,
) {
  const { FormReader } = await import('./form-reader.ts');
  return new FormReader(ctx, declaration, { patience: options.patience, takeFile });
}

async function receiveToDisk(ctx: Context, declaration: RouteDeclaration, options: ReceiveOptions): Promise<Received> {
  let folder: Promise<string> | undefined;
  const writes: Promise<UploadedFile>[] = [];
  const discard = async () => {
    await Promise.allSettled(writes);
    if (folder) await folder.then(removeUploadFolder).catch(() => {});
  };
  try {
    const form = await openForm(ctx, declaration, options, async (file) => {
      folder ??= createUploadFolder(options.folder);
      const writing = folder.then((path) => writeFile(file, path));
      writes.push(writing);
      await writing;
    });
    await form.read();
    const body = fieldsOf(declaration, form);
    const kept = await Promise.all(writes);
    const names = Object.keys(declaration.upload?.files ?? {});
    const files = Object.fromEntries(names.map((name) => [name, kept.filter(({ field }) => field === name)]));
    const fingerprint = { body, files: kept.map(({ field, name, sha256 }) => [field, name, sha256]) };
    return { body, files, fingerprint, discard };
  } catch (error) {
    await discard();
    throw problemOfReading(error);
  }
}

async function writeFile({ content, ...description }: ArrivingFile, folder: string): Promise<UploadedFile> {
  const path = join(folder, randomUUID());
  const hash = createHash('sha256');
  let size = 0;
  const noted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      hash.update(piece);
      size += piece.length;
      yield piece;
    }
  };
  await pipeline(content, noted, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { ...description, path, size, sha256: hash.digest('hex') };
}

async function receiveStreamed(
  ctx: Context,
  declaration: RouteDeclaration,
  options: ReceiveOptions,
): Promise<Received> {
  const begun: ArrivingFile[] = [];
  let wake = Promise.withResolvers<void>();
  const form = await openForm(ctx, declaration, options, async (file) => {
    begun.push(file);
    wake.resolve();
  });
  const reading = form.read().catch((error) => {
    throw problemOfReading(error);
  });
  let ended = false;
  reading
    .catch(() => {})
    .finally(() => {
      ended = true;
      wake.resolve();
    });
  const discard = async () => form.fail(new Error('the handler has ended before the form has'));
  try {
    await Promise.race([wake.promise, reading]);
    return { body: fieldsOf(declaration, form), files: filesInTurn(), fingerprint: undefined, discard };
  } catch (error) {
    await discard();
    throw error;
  }

  async function* filesInTurn() {
    while (!ended || begun.length > 0) {
      const file = begun.shift();
      if (!file) {
        wake = Promise.withResolvers();
        if (!ended) await wake.promise;
        continue;
      }
      yield file;
      const { content } = file;
      // What the handler has left of it passes unread.
      if (!content.destroyed) {
        content.destroy();
        await once(content, 'close');
      }
    }
    await reading;
  }
}

/** The text fields by the route's `body`, where "12" is a number as it is in a query. */
function fieldsOf({ body }: RouteDeclaration, { fields }: FormReader): unknown {
  const [unknown] = body ? [] : Object.keys(fields);
  if (unknown === undefined) return body && validate(body as TSchema, fields, 'body', true);
  const detail = 'must NOT have additional properties';
  throw invalidRequest(`body: ${detail}`, { errors: [{ in: 'body', pointer: `/${unknown}`, detail }] });
}

function problemOfReading(error: unknown): unknown {
  if (error instanceof Problem) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return unavailable('There is no space left.', { headers: { 'Retry-After': '60' } });
  return error;
}
