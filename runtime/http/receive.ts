/**
 * Receives uploads: the fields, validated, and the files, on disk or as streams.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { receiveChunks } from './arrival.ts';
import { describeContentType } from './body.ts';
import type { FormReader } from './form-reader.ts';
import { pointerTo } from './pointer.ts';
import { bodyTooLarge, formRequired, invalidRequest, Problem, unavailable } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import type { TSchema } from './schemas.ts';
import {
  type ArrivingFile,
  maxBytesBesidesFiles,
  type UploadDeclaration,
  type UploadedFile,
  uploadLimit,
} from './upload.ts';
import { createUploadFolder, removeUploadFolder } from './upload-folder.ts';
import type { HeldSpace, UploadSpace } from './upload-space.ts';
import { validate } from './validation.ts';

export interface Received {
  body: unknown;
  files: unknown;
  /** The fields and files, for the fingerprint of an Idempotency-Key. */
  fingerprint: unknown;
  /** Stops reading and deletes the files on disk. Never throws. */
  discard(): Promise<void>;
}

export interface ReceiveOptions {
  /** The parent of the folders of requests. */
  folder: string;
  /** Milliseconds: see `receiveChunks`. */
  patience: number;
  /** What all uploads hold on disk. */
  space: UploadSpace;
  /** Whose share of it the upload takes, if it has shares. */
  owner: string | null;
  /** `admit` of the declaration, for this request. */
  admit(announced: number | null): Promise<number | null>;
}

const emptyForm = { body: undefined, files: {}, fingerprint: undefined, discard: async () => {} };

/**
 * Reads a form by its route's `upload`.
 * @throws form_required, unsupported_file_type (415), malformed_form, invalid_request (400), request_timeout (408),
 * body_too_large (413), unavailable (503) while the disk is full
 */
export async function receiveForm(
  ctx: Context,
  declaration: RouteDeclaration,
  options: ReceiveOptions,
): Promise<Received> {
  const { upload, bodyOptional, bodyLimit } = declaration;
  if (upload?.raw) return receiveRaw(ctx, declaration, options);
  if (bodyOptional && !ctx.get('transfer-encoding') && !Number(ctx.get('content-length'))) return emptyForm;
  const encoding = ctx.get('content-encoding');
  if (!ctx.is('multipart/form-data') || (encoding && encoding !== 'identity')) {
    throw formRequired(encoding ? `The Content-Encoding ${encoding} is not supported.` : describeContentType(ctx));
  }
  const declared = bodyLimit ?? uploadLimit(upload as UploadDeclaration);
  rejectLarge(announcedBy(ctx), declared);
  const admitted = await options.admit(announcedBy(ctx));
  const limit = admitted === null ? declared : Math.min(declared, admitted + maxBytesBesidesFiles);
  rejectLarge(announcedBy(ctx), limit);
  const limited = { ...declaration, bodyLimit: limit };
  return upload?.streamed ? receiveStreamed(ctx, limited, options) : receiveToDisk(ctx, limited, options);
}

/** The size of a body in bytes; null if it arrives in chunks. */
function announcedBy(ctx: Context): number | null {
  return ctx.get('content-length') === '' ? null : Number(ctx.get('content-length'));
}

function rejectLarge(announced: number | null, limit: number): void {
  if ((announced ?? 0) > limit) throw bodyTooLarge(`The limit is ${limit} bytes.`);
}

/** Loads the parser with the first form. */
async function openForm(
  ctx: Context,
  declaration: RouteDeclaration,
  options: ReceiveOptions,
  onFile: (file: ArrivingFile) => Promise<void>,
) {
  const { FormReader } = await import('./form-reader.ts');
  return new FormReader(ctx, declaration, { patience: options.patience, onFile });
}

async function receiveToDisk(ctx: Context, declaration: RouteDeclaration, options: ReceiveOptions): Promise<Received> {
  let folder: Promise<string> | undefined;
  const writes: Promise<UploadedFile>[] = [];
  const held = options.space.hold(options.owner, announcedBy(ctx) ?? 0);
  const discard = async () => {
    await Promise.allSettled(writes);
    if (folder) await folder.then(removeUploadFolder).catch(() => {});
    held.release();
  };
  try {
    const form = await openForm(ctx, declaration, options, async (file) => {
      folder ??= createUploadFolder(options.folder);
      const writing = folder.then((path) => writeFile(file, path, held));
      writes.push(writing);
      await writing;
    });
    await form.read();
    const body = fieldsOf(declaration, form);
    const written = await Promise.all(writes);
    const names = Object.keys(declaration.upload?.files ?? {});
    const files = Object.fromEntries(names.map((name) => [name, written.filter(({ field }) => field === name)]));
    const fingerprint = { body, files: written.map(({ field, name, sha256 }) => [field, name, sha256]) };
    return { body, files, fingerprint, discard };
  } catch (error) {
    await discard();
    throw problemOfReading(error);
  }
}

async function writeFile(
  { content, ...description }: ArrivingFile,
  folder: string,
  held: HeldSpace,
): Promise<UploadedFile> {
  const path = join(folder, randomUUID());
  const hash = createHash('sha256');
  let size = 0;
  const measure = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      held.grow(chunk.length);
      hash.update(chunk);
      size += chunk.length;
      yield chunk;
    }
  };
  await pipeline(content, measure, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return { ...description, path, size, sha256: hash.digest('hex') };
}

/** Receives a body that is the file itself. @throws as `receiveForm` does, without those of forms */
async function receiveRaw(ctx: Context, { upload }: RouteDeclaration, options: ReceiveOptions): Promise<Received> {
  const [[field, { size: declared }]] = Object.entries((upload as UploadDeclaration).files) as [
    [string, { size: number }],
  ];
  rejectLarge(announcedBy(ctx), declared);
  const limit = Math.min(declared, (await options.admit(announcedBy(ctx))) ?? declared);
  rejectLarge(announcedBy(ctx), limit);
  const held = options.space.hold(options.owner, announcedBy(ctx) ?? 0);
  const folder = await createUploadFolder(options.folder).catch((error) => {
    held.release();
    throw problemOfReading(error);
  });
  const discard = async () => {
    await removeUploadFolder(folder).catch(() => {});
    held.release();
  };
  const content = new PassThrough();
  try {
    let received = 0;
    const writing = writeFile({ field, name: '', mediaType: ctx.get('content-type'), content }, folder, held);
    writing.catch(() => {});
    const arrival = receiveChunks(ctx.req, options.patience, async (chunk) => {
      received += chunk.length;
      rejectLarge(received, limit);
      if (!content.write(chunk)) await Promise.race([once(content, 'drain'), writing]);
    });
    await arrival.ended;
    content.end();
    const file = await writing;
    return { body: undefined, files: { [field]: [file] }, fingerprint: file.sha256, discard };
  } catch (error) {
    content.destroy();
    await discard();
    throw problemOfReading(error);
  }
}

async function receiveStreamed(
  ctx: Context,
  declaration: RouteDeclaration,
  options: ReceiveOptions,
): Promise<Received> {
  const waiting: ArrivingFile[] = [];
  let wake = Promise.withResolvers<void>();
  const form = await openForm(ctx, declaration, options, async (file) => {
    waiting.push(file);
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
  const discard = async () => form.fail(new Error('the handler ended before the form was read'));
  try {
    await Promise.race([wake.promise, reading]);
    return { body: fieldsOf(declaration, form), files: iterateFiles(), fingerprint: undefined, discard };
  } catch (error) {
    await discard();
    throw error;
  }

  async function* iterateFiles() {
    while (!ended || waiting.length > 0) {
      const file = waiting.shift();
      if (!file) {
        wake = Promise.withResolvers();
        if (!ended) await wake.promise;
        continue;
      }
      yield file;
      const { content } = file;
      // The part that the handler has not read is discarded.
      if (!content.destroyed) {
        content.destroy();
        await once(content, 'close');
      }
    }
    await reading;
  }
}

/** Validates the text fields by the route's `body`; as in a query, "12" may be a number. */
function fieldsOf({ body }: RouteDeclaration, { fields }: FormReader): unknown {
  const [unknown] = body ? [] : Object.keys(fields);
  if (unknown === undefined) return body && validate(body as TSchema, fields, 'body', true);
  const detail = 'must NOT have additional properties';
  throw invalidRequest(`body: ${detail}`, { errors: [{ in: 'body', pointer: pointerTo(unknown), detail }] });
}

function problemOfReading(error: unknown): unknown {
  if (error instanceof Problem) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return unavailable('The disk is full.', { headers: { 'Retry-After': '60' } });
  return error;
}
