/**
 * Reads multipart/form-data bodies with @fastify/busboy: of the maintained parsers, it is the one that streams each part
 * and also limits the headers of parts. (Formidable, used by koa-body, writes to disk itself and buffers part headers of
 * any length.)
 */
import { once } from 'node:events';
import { type Readable, Transform } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'koa';
import { type Arrival, receiveChunks } from './arrival.ts';
import { pointerTo } from './pointer.ts';
import { bodyTooLarge, invalidField, malformedForm, type Problem, unsupportedFileType } from './problems.ts';
import type { RouteDeclaration } from './route.ts';
import { type ArrivingFile, maxFieldBytes, maxFields, type UploadDeclaration, uploadLimit } from './upload.ts';

/** Largest headers of a part, in bytes. */
const maxHeaderBytes = 8 * 1024;

export interface FormOptions {
  /** See `receiveChunks`. */
  patience: number;
  /** Called for each file; an error ends the reading. The next file follows when the content is read or destroyed. */
  onFile(file: ArrivingFile): Promise<void>;
}

/** Reads one form. */
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
        limits: { fieldSize: maxFieldBytes, fields: maxFields, parts: maxFields + files, headerSize: maxHeaderBytes },
        isPartAFile: (_name, _type, fileName) => fileName !== undefined,
      });
    } catch (error) {
      throw malformedForm((error as Error).message);
    }
    this.#parser.on('file', (field, content, name, _encoding, type) => this.#acceptFile(field, content, name, type));
    this.#parser.on('field', (name, value, _nameIsCut, isCut) => this.#acceptField(name, value, isCut));
    this.#parser.on('partsLimit', () =>
      this.fail(bodyTooLarge(`The limit is ${maxFields} fields and ${files} files.`)),
    );
    this.#parser.on('fieldsLimit', () => this.fail(bodyTooLarge(`The limit is ${maxFields} fields.`)));
    this.#parser.on('error', (error) => this.fail(malformedForm((error as Error).message)));
  }

  /** The fields read so far; a repeated field is an array. */
  get fields(): Record<string, string | string[]> {
    return Object.fromEntries(
      [...this.#fields].map(([name, values]) => [name, values.length > 1 ? values : `${values[0]}`]),
    );
  }

  /**
   * Reads the form to its end.
   * @throws malformed_form, invalid_request (400), request_timeout (408), body_too_large (413),
   * unsupported_file_type (415), and any error of `onFile`
   */
  async read(): Promise<void> {
    const pumping = this.#pump().catch((error) => this.fail(error));
    await Promise.race([pumping, this.#failure.promise]);
    this.#requireFiles();
  }

  /** Ends the reading; readers of open files get the error. */
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
    let received = 0;
    this.#arrival = receiveChunks(this.#ctx.req, this.#options.patience, async (chunk) => {
      received += chunk.length;
      if (received > this.#limit) throw bodyTooLarge(`The limit is ${this.#limit} bytes.`);
      if (!this.#parser.write(chunk)) await Promise.race([once(this.#parser, 'drain'), this.#failure.promise]);
    });
    await this.#arrival.ended;
    this.#parser.end();
    await parsed;
  }

  #acceptField(sentName: string | undefined, value: string, tooLong: boolean): void {
    const name = decodedName(sentName);
    const isAfterFiles = this.#upload.streamed && this.#counts.size > 0;
    if (!name) this.fail(malformedForm('A part has no name.'));
    else if (tooLong) this.fail(bodyTooLarge(`The limit for a field is ${maxFieldBytes} bytes.`));
    else if (isMisread(name + value)) this.fail(malformedForm(`The field ${name} is not UTF-8.`));
    else if (Object.hasOwn(this.#upload.files, name)) this.fail(invalidField(pointerTo(name), withoutName));
    else if (isAfterFiles) this.fail(malformedForm('The fields must precede the files.'));
    else this.#fields.set(name, [...(this.#fields.get(name) ?? []), value]);
  }

  #acceptFile(
    sentField: string | undefined,
    content: Readable & { bytesRead: number },
    sentName: string,
    type: string,
  ): void {
    const field = decodedName(sentField);
    const name = decodedName(sentName) ?? '';
    // Errors are reported through the limited stream.
    content.on('error', () => {});
    // Browsers send an empty part for a file input without a file.
    const isChosen = name !== '';
    const problem = isChosen ? this.#checkFile(field, name, type) : undefined;
    if (problem) this.fail(problem);
    if (!isChosen) {
      content.once('end', () => {
        if (content.bytesRead > 0) this.fail(invalidField(pointerTo(field ?? ''), withoutName));
      });
    }
    if (problem || !isChosen || this.#failed) {
      content.resume();
      return;
    }
    const limited = this.#limitSize(content, this.#upload.files[field as string]?.size ?? 0);
    const file = { field: field as string, name: sanitizeName(name), mediaType: type, content: limited };
    this.#options.onFile(file).catch((error) => this.fail(error));
  }

  #checkFile(field = '', name: string, type: string): Problem | undefined {
    if (isMisread(name)) return malformedForm('The name of a file is not UTF-8.');
    const declared = Object.hasOwn(this.#upload.files, field) ? this.#upload.files[field] : undefined;
    if (!declared) return invalidField(pointerTo(field ?? ''), 'does not accept a file');
    const count = (this.#counts.get(field) ?? 0) + 1;
    this.#counts.set(field, count);
    const { count: maxCount = 1, mediaTypes } = declared;
    if (count > maxCount)
      return invalidField(
        pointerTo(field ?? ''),
        `must have at most ${maxCount === 1 ? 'one file' : `${maxCount} files`}`,
      );
    if (mediaTypes && !mediaTypes.includes(type))
      return unsupportedFileType(`${field} accepts ${mediaTypes.join(', ')}.`);
    return undefined;
  }

  /** Limits the content to so many bytes. When its reader closes it, the rest is discarded. */
  #limitSize(content: Readable, limit: number): Readable {
    let size = 0;
    const limited = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        size += chunk.length;
        done(size > limit ? bodyTooLarge(`The limit for this file is ${limit} bytes.`) : null, chunk);
      },
    });
    this.#open.add(limited);
    limited.on('error', (error) => this.fail(error));
    limited.once('close', () => {
      this.#open.delete(limited);
      content.unpipe(limited);
      content.resume();
    });
    return content.pipe(limited);
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

/** Whether the parser has put U+FFFD in the place of bytes that are not UTF-8; who sends that character has read them so. */
function isMisread(text: string): boolean {
  return text.includes('\ufffd');
}

/** What is wrong with a part that has bytes and no file name: no browser sends one, but programs do. */
const withoutName = 'must be a file with a name: `filename` of its part is missing or empty';

/**
 * The name of a field or a file. Forms of browsers write `"`, CR and LF in it as `%22`, `%0D` and `%0A`, and nothing else
 * (HTML, Multipart form data): not even `%`, so that other escapes are part of the name.
 */
function decodedName<Name extends string | undefined>(name: Name): Name {
  return name?.replaceAll(/%(?:22|0D|0A)/g, decodeURIComponent) as Name;
}

const maxNameLength = 255;

/**
 * Removes characters from a file name that terminals or headers would interpret. The parser has removed its path. A long name
 * keeps its extension, by which people and programs know what the file is.
 */
function sanitizeName(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
  const characters = [...plain];
  if (characters.length <= maxNameLength) return plain || 'file';
  const extension = [...(/(?:\.tar)?\.[^.\s]{1,20}$/iu.exec(plain)?.[0] ?? '')];
  return [...characters.slice(0, maxNameLength - extension.length), ...extension].join('');
}
