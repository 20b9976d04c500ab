/**
 * A backup as one file: a tar archive, compressed with zstd, and encrypted if there is a passphrase. It is written and read
 * as a stream, however large it is.
 */
import { createHash } from 'node:crypto';
import { PassThrough, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { Header, Pax } from 'tar';
import { Failure } from '../failure.ts';
import { ByteReader } from './byte-reader.ts';
import { decrypt, encrypt, isEncrypted } from './encryption.ts';
import type { BackedUpFile, BackupSink } from './sink.ts';

const block = 512;
/** What is compressed and decompressed at a time: smaller parts cost a call of the thread pool each. */
const partBytes = 1024 * 1024;

/** An entry of an archive. Its content must be read before the next entry. */
export interface ArchiveEntry {
  path: string;
  isFolder: boolean;
  bytes: number;
  /** Whether the passphrase has shown that the content is as it was written. */
  authentic: boolean;
  content: AsyncIterable<Buffer>;
}

/**
 * Writes an archive.
 * @param store takes its bytes; it leaves nothing behind if the stream breaks
 * @returns its size and SHA-256
 */
export async function writeArchive(
  store: (source: AsyncIterable<Buffer>) => Promise<void>,
  passphrase: string | undefined,
  fill: (sink: BackupSink) => Promise<void>,
): Promise<{ bytes: number; digest: string }> {
  const input = new PassThrough({ highWaterMark: 4 * 1024 * 1024 });
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(part: Buffer, _encoding, done) {
      hash.update(part);
      bytes += part.length;
      done(null, part);
    },
  });
  const { ZSTD_c_checksumFlag, ZSTD_c_compressionLevel } = constants;
  const compress = createZstdCompress({
    chunkSize: partBytes,
    params: { [ZSTD_c_checksumFlag]: 1, [ZSTD_c_compressionLevel]: 3 },
  });
  const protect = (source: AsyncIterable<Buffer>) => (passphrase === undefined ? source : encrypt(source, passphrase));
  let broken: unknown;
  let stored: Promise<void> = Promise.resolve();
  const keep = (source: AsyncIterable<Buffer>) => {
    stored = store(source).catch((error) => {
      broken ??= error;
      throw error;
    });
    return stored;
  };
  // Also after an error, what has been stored is removed before this ends.
  const written = pipeline(input, compress, protect, measure, keep)
    .catch((error) => {
      broken ??= error;
    })
    .then(() => stored.catch(() => undefined));
  let small: Buffer[] = [];
  let smallBytes = 0;
  const write = async (part: Buffer) => {
    if (broken) throw broken;
    small.push(part);
    smallBytes += part.length;
    if (smallBytes >= partBytes) await writeSmall();
  };
  const writeSmall = async () => {
    const gathered = Buffer.concat(small, smallBytes);
    small = [];
    smallBytes = 0;
    if (input.write(gathered) || input.destroyed) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        input.off('drain', go).off('close', go);
        resolve();
      };
      input.once('drain', go).once('close', go);
    });
  };
  try {
    await fill(tarSink(write));
    await write(Buffer.alloc(2 * block));
    await writeSmall();
    input.end();
  } catch (error) {
    const first = broken ?? error;
    broken ??= error;
    input.destroy();
    await written;
    throw first;
  }
  await written;
  if (broken) throw broken;
  return { bytes, digest: hash.digest('hex') };
}

/** Writes entries of a tar archive. */
function tarSink(write: (part: Buffer) => Promise<void>): BackupSink {
  const files: BackedUpFile[] = [];
  const folders: string[] = [];
  return {
    files,
    folders,
    async folder(path) {
      await write(headerOf(`${path}/`, 0, 'Directory'));
      folders.push(path);
    },
    async file(path, bytes, content) {
      const hash = createHash('sha256');
      await write(headerOf(path, bytes, 'File'));
      for await (const part of content) {
        hash.update(part);
        await write(part);
      }
      await write(Buffer.alloc((block - (bytes % block)) % block));
      files.push({ path, bytes, digest: hash.digest('hex') });
    },
  };
}

function headerOf(path: string, size: number, type: 'File' | 'Directory'): Buffer {
  const mode = type === 'File' ? 0o600 : 0o700;
  const header = Buffer.alloc(block);
  const needsPax = new Header({ path, mode, size, type, uid: 0, gid: 0, mtime: new Date() }).encode(header, 0);
  return needsPax ? Buffer.concat([new Pax({ path, size }).encode(), header]) : header;
}

/**
 * Yields the entries of an archive.
 * @param name of the archive, for messages
 * @throws Failure usage for a missing or wrong passphrase, integrity_failed if it was changed or cut off
 */
export async function* readArchive(
  source: AsyncIterable<Buffer>,
  name: string,
  passphrase: string | undefined,
): AsyncGenerator<ArchiveEntry> {
  const broken = () => new Failure('integrity_failed', `${name} was changed or cut off`, 'Use another backup');
  const decompressed = createZstdDecompress({ chunkSize: partBytes });
  let authentic = false;
  const input = Readable.from(
    opened(source, name, passphrase, () => {
      authentic = true;
    }),
  );
  let reason: unknown;
  input.once('error', (error) => {
    reason = error;
    decompressed.destroy(error);
  });
  input.pipe(decompressed);
  const explain = (error: unknown) => {
    if (reason instanceof Failure) return reason;
    const { code = '' } = error as NodeJS.ErrnoException;
    return /^(ZSTD|Z_|ERR_ZSTD|ERR_STREAM_PREMATURE)/i.test(code) ? broken() : error;
  };
  const reader = new ByteReader(decompressed as AsyncIterable<Buffer>);
  try {
    for (let pax: Buffer | undefined; ; ) {
      const header = await reader.upTo(block);
      if (header.length === block && header.every((byte) => byte === 0)) break;
      const parsed = header.length === block ? new Header(header, 0) : undefined;
      if (!parsed?.cksumValid) throw broken();
      const { path, size } = { ...named(pax), ...(pax ? {} : { path: parsed.path, size: parsed.size }) };
      const bytes = size ?? parsed.size ?? 0;
      if (parsed.type === 'ExtendedHeader') {
        if (bytes > 100_000) throw broken();
        pax = await reader.upTo(bytes);
      } else {
        pax = undefined;
        const isFolder = parsed.type === 'Directory';
        let left = bytes;
        const content = async function* () {
          try {
            for await (const part of reader.parts(bytes)) {
              left -= part.length;
              yield part;
            }
          } catch (error) {
            throw explain(error);
          }
          if (left > 0) throw broken();
        };
        const text = path ?? '';
        yield { path: isFolder ? text.replace(/\/$/, '') : text, isFolder, bytes, authentic, content: content() };
        if (left > 0) throw new Error(`the content of ${text} was not read`);
      }
      await reader.upTo((block - (bytes % block)) % block);
    }
    // The end of the stream is authenticated too.
    while (!(await reader.isAtEnd())) await reader.upTo(block);
  } catch (error) {
    throw explain(error);
  } finally {
    input.destroy();
    decompressed.destroy();
  }
}

async function* opened(
  source: AsyncIterable<Buffer>,
  name: string,
  passphrase: string | undefined,
  decrypts: () => void,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  const beginning = await reader.upTo(64);
  const whole = (async function* () {
    yield beginning;
    yield* reader.parts(Number.MAX_SAFE_INTEGER);
  })();
  if (!isEncrypted(beginning)) {
    const isZstd = beginning.subarray(0, 4).equals(Buffer.from([0x28, 0xb5, 0x2f, 0xfd]));
    if (!isZstd) throw new Failure('usage', `${name} is no backup`, 'Specify a file that backup has written');
    yield* whole;
  } else if (passphrase === undefined) {
    throw new Failure('usage', `${name} is encrypted`, 'Pass its passphrase with --passphrase-file');
  } else {
    decrypts();
    yield* decrypt(whole, passphrase, name);
  }
}

/** The path and size in a header of POSIX.1-2001, such as `30 path=a/long/name`. */
function named(pax: Buffer | undefined): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {};
  for (let at = 0; pax && at < pax.length; ) {
    const length = Number.parseInt(pax.subarray(at, at + 12).toString('latin1'), 10);
    if (!(length > 0)) break;
    const [, key, value = ''] = /^\d+ ([^=]+)=(.*)\n$/s.exec(pax.subarray(at, at + length).toString('utf8')) ?? [];
    if (key === 'path') found.path = value;
    if (key === 'size') found.size = Number(value);
    at += length;
  }
  return found;
}
