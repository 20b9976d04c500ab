/**
 * Opening the place of backups that a path or an address names.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { flush } from '@carton/durable-files';
import { exists } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { addToCatalogue, readCatalogue } from './catalogue.ts';
import type { BackupPlace, PlacedBackup, PlaceOptions } from './place.ts';
import { isBucketAddress, parseBucketAddress } from './s3/address.ts';
import { readBucketSettings } from './s3/settings.ts';
import { checkSpaceFor } from './space.ts';

/** Whether a path or address is that of one backup, and not of a place for several. */
export function isNameOfBackup(to: string): boolean {
  return /\.(zst|enc)$/.test(to);
}

/** Opens a place. Amazon's client is loaded for a bucket only. @throws Failure usage for a wrong address or setting */
export async function openPlace(to: string, { variables, journal, signal }: PlaceOptions): Promise<BackupPlace> {
  if (!isBucketAddress(to)) return folderPlace(resolve(to));
  const address = parseBucketAddress(to);
  const settings = await readBucketSettings(variables);
  const { openBucketPlace } = await import('./s3/bucket.ts');
  return openBucketPlace(address, settings, { journal, signal });
}

/** Splits the path or address of one backup, and opens its place. @throws Failure usage */
export async function openBackup(path: string, options: PlaceOptions): Promise<PlacedBackup> {
  const whole = isBucketAddress(path) ? path : resolve(path);
  const at = whole.lastIndexOf('/');
  return { place: await openPlace(whole.slice(0, at) || '/', options), name: whole.slice(at + 1) };
}

/** The backups in a folder. */
export function folderPlace(folder: string): BackupPlace {
  const addressOf = (name: string) => join(folder, name);
  return {
    address: folder,
    addressOf,
    has: (name) => exists(addressOf(name)),
    async prepare(bytes) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of await readdir(folder)) {
        if (name.startsWith(`.${vendor}-`) && name.endsWith('.partial')) await rm(addressOf(name), { force: true });
      }
      await checkSpaceFor(folder, bytes);
    },
    async write(name, source) {
      const partial = addressOf(`.${name}.partial`);
      await rm(partial, { force: true });
      try {
        await pipeline(source, createWriteStream(partial, { flags: 'wx', mode: 0o600 }));
        const handle = await open(partial, 'r');
        await handle.chmod(0o600).finally(() => handle.sync().finally(() => handle.close()));
        await rename(partial, addressOf(name));
        await flush(folder);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },
    read: (name) => readFileOf(addressOf(name)),
    remove: (name) => rm(addressOf(name), { force: true }),
    entries: () => readCatalogue(folder),
    record: (entry) => addToCatalogue(folder, entry),
  };
}

/** @throws Failure usage if the folder of a file does not exist */
export async function requireFolderOf(path: string): Promise<void> {
  const folder = dirname(path);
  const status = await stat(folder).catch(() => undefined);
  if (!status?.isDirectory()) throw new Failure('usage', `${folder} is not a folder`, 'Create it first');
}

/** Reads a file as a stream. @throws Failure usage if it cannot be read */
async function readFileOf(path: string): Promise<AsyncIterable<Buffer>> {
  try {
    const handle = await open(path, 'r');
    await handle.close();
  } catch (error) {
    throw new Failure('usage', `${path} cannot be read: ${(error as Error).message}`, 'Specify the path of a backup');
  }
  return createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>;
}
