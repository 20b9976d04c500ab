/**
 * The archive of an export: a compressed tar file with an entry for each table (one JSON object a line), the files that
 * packages store, and a manifest at the end. Rows and files pass through memory in small parts.
 */
import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ExportedFile, ExportedFileMissing, tenantFiles } from '@carton/core';
import { exportTenantRows, listAppliedMigrations, type TenantDatabase } from '@carton/runtime';
import { pack } from 'tar-stream';

export interface Progress {
  tables: number;
  rows: number;
  files: number;
}

export interface Archived extends Progress {
  size: number;
  sha256: string;
}

interface TableInManifest {
  name: string;
  columns: readonly string[];
  rows: number;
  bytes: number;
  sha256: string;
}

/**
 * Writes the archive durably.
 * @param path also the beginning of the names of temporary files
 * @param report called often, with what is written
 */
export async function writeArchive(
  db: TenantDatabase,
  path: string,
  report: (progress: Progress) => Promise<void>,
): Promise<Archived> {
  const archive = new Archive(path);
  const spools: Spool[] = [];
  const openSpool = (end: string) => {
    const spool = new Spool(`${path}.${end}`);
    spools.push(spool);
    return spool;
  };
  try {
    return await writeEntries(db, archive, openSpool, report);
  } catch (error) {
    // An open file would keep its space on the disk, also after it is deleted.
    await Promise.all([archive.abort(), ...spools.map((spool) => spool.abort())]);
    throw error;
  }
}

async function writeEntries(
  db: TenantDatabase,
  archive: Archive,
  openSpool: (end: string) => Spool,
  report: (progress: Progress) => Promise<void>,
): Promise<Archived> {
  const progress: Progress = { tables: 0, rows: 0, files: 0 };
  const exportedAt = new Date().toISOString();
  const tables: TableInManifest[] = [];
  await exportTenantRows(db, async ({ name, columns, rows: read }) => {
    const spool = openSpool('rows');
    let count = 0;
    for await (const row of read()) {
      await spool.write(`${row}\n`);
      count += 1;
      progress.rows += 1;
      if (count % 500 === 0) await report(progress);
    }
    const { bytes, sha256 } = await spool.close();
    await archive.add(`tables/${name}.ndjson`, bytes, createReadStream(spool.path));
    await rm(spool.path);
    tables.push({ name, columns, rows: count, bytes, sha256 });
    progress.tables += 1;
    await report(progress);
  });
  const list = openSpool('files');
  for (const { name, list: files } of tenantFiles.of(db)) {
    for await (const file of files(db)) {
      const sha256 = await addFile(archive, `files/${name}/${file.path}`, file);
      await list.write(`${JSON.stringify({ path: `files/${name}/${file.path}`, size: file.size, sha256 })}\n`);
      progress.files += 1;
      await report(progress);
    }
  }
  const files = await list.close();
  await archive.add('files.ndjson', files.bytes, createReadStream(list.path));
  await rm(list.path);
  const manifest = {
    format: 'tenant-export',
    version: 1,
    tenantId: db.tenantId,
    exportedAt,
    tables,
    files: { count: progress.files, sha256: files.sha256 },
    migrations: await listAppliedMigrations(db),
  };
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await archive.add('manifest.json', text.length, [text]);
  return { ...progress, ...(await archive.close()) };
}

/** Adds a file; returns its digest, or null if it no longer exists. */
async function addFile(archive: Archive, path: string, { size, open: read }: ExportedFile): Promise<string | null> {
  const hash = createHash('sha256');
  const chunks = read()[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    await archive.add(path, size, hashed(hash, first, chunks));
    return hash.digest('hex');
  } catch (error) {
    if (error instanceof ExportedFileMissing) return null;
    throw error;
  } finally {
    await chunks.return?.();
  }
}

type Chunk = string | Uint8Array;

async function* hashed(hash: Hash, first: IteratorResult<Chunk>, rest: AsyncIterator<Chunk>) {
  for (let next = first; !next.done; next = await rest.next()) {
    const chunk = Buffer.from(next.value as Uint8Array);
    hash.update(chunk);
    yield chunk;
  }
}

/** A file of lines of unknown length: an entry of a tar file begins with its size. */
class Spool {
  readonly path: string;
  readonly #stream;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(path: string) {
    this.path = path;
    this.#stream = createWriteStream(path, { mode: 0o600 });
    // Reported by the next call. Without a listener, a full disk would end the process.
    this.#stream.on('error', () => {});
  }

  async write(line: string): Promise<void> {
    const bytes = Buffer.from(line);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    if (this.#stream.errored) throw this.#stream.errored;
    if (!this.#stream.write(bytes)) await once(this.#stream, 'drain');
  }

  async close(): Promise<{ bytes: number; sha256: string }> {
    this.#stream.end();
    await finished(this.#stream);
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  /** Closes the file, as it is. */
  abort(): Promise<void> {
    return finished(this.#stream.destroy()).catch(() => {});
  }
}

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Whether a stream of streamx, which tar-stream uses, has ended early; its types lack that. */
function isDestroyed(stream: object): boolean {
  return (stream as { destroying: boolean }).destroying;
}

/** A compressed tar file that is being written. */
class Archive {
  readonly #path: string;
  readonly #pack = pack();
  readonly #hash = createHash('sha256');
  readonly #written: Promise<void>;
  #size = 0;

  constructor(path: string) {
    this.#path = path;
    const output = createWriteStream(path, { mode: 0o600 });
    const hash = this.#hash;
    const count = (bytes: number) => {
      this.#size += bytes;
    };
    this.#written = pipeline(
      Readable.from(this.#pack as AsyncIterable<Uint8Array>),
      createGzip({ level: 6 }),
      async function* digest(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          count(chunk.length);
          yield chunk;
        }
      },
      output,
    );
    // Reported by the next call that waits for it.
    this.#written.catch(() => {});
  }

  /** @throws Error if the content has another size, or the file cannot be written */
  async add(name: string, size: number, content: Content): Promise<void> {
    try {
      await this.#add(name, size, content);
    } catch (error) {
      // What ended the file is the cause of any error after it.
      if (isDestroyed(this.#pack)) await this.#written;
      throw error;
    } finally {
      // An open file would keep its space on the disk.
      if (content instanceof Readable) await finished(content.destroy()).catch(() => {});
    }
  }

  async #add(name: string, size: number, content: Content): Promise<void> {
    const added = Promise.withResolvers<void>();
    const entry = this.#pack.entry({ name, size, mode: 0o600 }, (error) =>
      error ? added.reject(error) : added.resolve(),
    );
    added.promise.catch(() => {});
    // The callback reports it.
    entry.on('error', () => {});
    const failed = this.#written.then(() => {
      throw new Error('the archive was closed');
    });
    failed.catch(() => {});
    for await (const chunk of content) {
      if (!entry.write(chunk)) await Promise.race([once(entry as never, 'drain'), added.promise, failed]);
    }
    (entry as unknown as NodeJS.WritableStream).end();
    await Promise.race([added.promise, failed]);
  }

  /** Closes the file, as it is. */
  abort(): Promise<void> {
    this.#pack.destroy();
    return this.#written.catch(() => {});
  }

  /** Writes the file to disk. */
  async close(): Promise<{ size: number; sha256: string }> {
    this.#pack.finalize();
    await this.#written;
    const file = await open(this.#path, 'r');
    await file.sync();
    await file.close();
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }
}
