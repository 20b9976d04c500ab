/**
 * Reading a multipart/form-data body with @fastify/busboy: of the parsers that are kept it is the one that hands each
 * part on as a stream and bounds the parts' headers too. (koa-body's formidable writes to the disk by itself and keeps a
 * part's headers whole, however long they are.)
 */
import { once } from 'node:events';
import { type Readable, Transform } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'koa';
import { type Arrival, receiveChunks } from './arrival.ts';
import { bodyTooLarge, invalidField, malformedForm, type Problem, unsupportedFileType } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import { type ArrivingFile, maxFieldBytes, maxFields, type UploadDeclaration, uploadLimit } from './upload.ts';

/** Bytes of a part's headers. */
const longestHeaders = 8 * 1024;

export interface FormOptions {
  /** See `receiveChunks`. */
  patience: number;
  /** Is given each file; what it throws ends the reading. The next comes when the content has been read or destroyed. */
  takeFile(file: ArrivingFile): Promise<void>;
}

/** One form on its way in. */
export class FormReader {
  readonly #ctx: Context;
  readonly #upload: UploadDeclaration;
  readonly #limit: number;
  readonly #options: FormOptions;
  readonly #parser: BusboyInstance;
  readonly #fields = new Map<string, string[]>();
  readonly #counts = new Map<string, number>();
  readonly #open = new Set<Readable>();
  readonly #failure = Promise.withResolvers<never>();
  #failed = false;
  #arrival: Arrival | undefined;

  /** @throws malformed_form (400) when the boundary is missing */
  constructor(ctx: Context, declaration: RouteDeclaration, options: FormOptions) {
    this.#ctx = ctx;
    this.#upload = declaration.upload as UploadDeclaration;
    this.#limit = declaration.bodyLimit ?? uploadLimit(this.#upload);
    this.#options = options;
    this.#failure.promise.catch(() => {});
    const files = Object.values(this.#upload.files).reduce((sum, { count = 1 }) => sum + count, 0);
    try {
      this.#parser = new Busboy({
        headers: { 'content-type': ctx.get('content-type') },
        limits: { fieldSize: maxFieldBytes, fields: maxFields, parts: maxFields + files, headerSize: longestHeaders },
        isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      });
    } catch (error) {
      throw malformedForm((error as Error).message);
    }
    this.#parser.on('file', (field, content, name, _encoding, type) => this.#takeFile(field, content, name, type));
    this.#parser.on('field', (name, value, _nameIsCut, isCut) => this.#takeField(name, value, isCut));
    this.#parser.on('partsLimit', () =>
      this.fail(bodyTooLarge(`The limit is ${maxFields} fields and ${files} files.`)),
    );
    this.#parser.on('fieldsLimit', () => this.fail(bodyTooLarge(`The limit is ${maxFields} fields.`)));
    this.#parser.on('error', (error) => this.fail(malformedForm((error as Error).message)));
  }

  /** The fields that have come so far; one that came several times is a list. */
  get fields(): Record<string, string | string[]> {
    return Object.fromEntries(
      [...this.#fields].map(([name, values]) => [name, values.length > 1 ? values : `${values[0]}`]),
    );
  }

  /**
   * Reads to the form's end.
   * @throws malformed_form, invalid_request (400), request_timeout (408), body_too_large (413),
   * unsupported_file_type (415), and whatever `takeFile` throws
   */
  async read(): Promise<void> {
    const pumping = this.#pump().catch((error) => this.fail(error));
    await Promise.race([pumping, this.#failure.promise]);
    this.#requireFiles();
  }

  /** Ends the reading; whoever reads a file is given the error. */
  fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#failure.reject(error);
    this.#arrival?.stop();
    for (const content of this.#open) content.destroy(error);
  }

  async #pump(): Promise<void> {
    const parsed = once(this.#parser, 'finish');
    parsed.catch(() => {});
    let arrived = 0;
    this.#arrival = receiveChunks(this.#ctx.req, this.#options.patience, async (piece) => {
      arrived += piece.length;
      if (arrived > this.#limit) throw bodyTooLarge(`The limit is ${this.#limit} bytes.`);
      if (!this.#parser.write(piece)) await Promise.race([once(this.#parser, 'drain'), this.#failure.promise]);
    });
    await this.#arrival.ended;
    this.#parser.end();
    await parsed;
  }

  #takeField(name: string | undefined, value: string, tooLong: boolean): void {
    const late = this.#upload.streamed && this.#counts.size > 0;
    if (!name) this.fail(malformedForm('A part has no name.'));
    else if (tooLong) this.fail(bodyTooLarge(`The limit of a field is ${maxFieldBytes} bytes.`));
    else if (late) this.fail(malformedForm('The fields must stand before the files.'));
    else this.#fields.set(name, [...(this.#fields.get(name) ?? []), value]);
  }

  #takeFile(field: string | undefined, content: Readable & { bytesRead: number }, name: string, type: string): void {
    // What happens to it is told to whoever reads the metered content.
    content.on('error', () => {});
    // A page sends an empty part for a file that was not chosen.
    const chosen = name !== '';
    const refusal = chosen ? this.#refusalOf(field, type) : undefined;
    if (refusal) this.fail(refusal);
    if (!chosen) {
      content.once('end', () => {
        if (content.bytesRead > 0) this.fail(invalidField(pointerTo(field), 'the file has no name'));
      });
    }
    if (refusal || !chosen || this.#failed) {
      content.resume();
      return;
    }
    const metered = this.#metered(content, this.#upload.files[field as string]?.size ?? 0);
    const file = { field: field as string, name: plainName(name), mediaType: type, content: metered };
    this.#options.takeFile(file).catch((error) => this.fail(error));
  }

  #refusalOf(field = '', type: string): Problem | undefined {
    const declared = Object.hasOwn(this.#upload.files, field) ? this.#upload.files[field] : undefined;
    if (!declared) return invalidField(pointerTo(field), 'takes no file');
    const count = (this.#counts.get(field) ?? 0) + 1;
    this.#counts.set(field, count);
    const { count: most = 1, mediaTypes } = declared;
    if (count > most)
      return invalidField(pointerTo(field), `takes no more than ${most === 1 ? 'one file' : `${most} files`}`);
    if (mediaTypes && !mediaTypes.includes(type))
      return unsupportedFileType(`${field} takes ${mediaTypes.join(', ')}.`);
    return undefined;
  }

  /** The content up to so many bytes. When its reader goes away, the rest is let pass. */
  #metered(content: Readable, limit: number): Readable {
    let size = 0;
    const metered = new Transform({
      transform: (piece: Buffer, _encoding, done) => {
        size += piece.length;
        done(size > limit ? bodyTooLarge(`The limit of this file is ${limit} bytes.`) : null, piece);
      },
    });
    this.#open.add(metered);
    metered.on('error', (error) => this.fail(error));
    metered.once('close', () => {
      this.#open.delete(metered);
      content.unpipe(metered);
      content.resume();
    });
    return content.pipe(metered);
  }

  #requireFiles(): void {
    const missing = Object.entries(this.#upload.files).filter(
      ([name, { optional }]) => !optional && !this.#counts.has(name),
    );
    const [first] = missing;
    if (!first) return;
    const problem = invalidField(pointerTo(first[0]), 'a file is required');
    problem.errors?.push(
      ...missing.slice(1).flatMap(([name]) => invalidField(pointerTo(name), 'a file is required').errors ?? []),
    );
    throw problem;
  }
}

function pointerTo(field = ''): string {
  return `/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A name, of which the parser has taken the path, without what a terminal or a header would take for more. */
function plainName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  return [...plain].slice(0, 255).join('') || 'file';
}
