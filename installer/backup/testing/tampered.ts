/**
 * Backups as an attacker makes them who can write where they are and knows their format: entries are changed, and the digests
 * in the manifest computed again.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readArchive, writeArchive } from '../archive.ts';

export interface Entry {
  path: string;
  isFolder: boolean;
  content: Buffer;
}

/** Reads all entries of a backup that is not encrypted. */
export async function entriesOf(path: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const source = createReadStream(path) as AsyncIterable<Buffer>;
  for await (const entry of readArchive(source, path, undefined)) {
    entries.push({ path: entry.path, isFolder: entry.isFolder, content: await buffer(entry.content) });
  }
  return entries;
}

/** Writes entries as a backup. */
export async function writeEntries(to: string, entries: readonly Entry[]): Promise<void> {
  const parts: Buffer[] = [];
  const store = async (source: AsyncIterable<Buffer>) => {
    for await (const part of source) parts.push(part);
  };
  await writeArchive(store, undefined, async (sink) => {
    for (const { path, isFolder, content } of entries) {
      if (isFolder) await sink.folder(path);
      else await sink.file(path, content.length, Readable.from(content.length > 0 ? [content] : []));
    }
  });
  await writeFile(to, Buffer.concat(parts));
}

/** Changes entries of a backup, and computes the digests in its manifest again. */
export async function tamper(from: string, to: string, change: (entries: Entry[]) => Entry[]): Promise<void> {
  await writeEntries(to, withDigests(change(await entriesOf(from))));
}

/** Computes the digests in the manifest again; whatever else it says stays, also its seal. */
export function withDigests(entries: readonly Entry[]): Entry[] {
  const files = entries.filter(({ path, isFolder }) => !isFolder && path !== 'manifest.json');
  return entries.map((entry) =>
    entry.path === 'manifest.json'
      ? changedJson(entry, (manifest) => ({
          ...manifest,
          files: files.map(({ path, content }) => ({
            path,
            bytes: content.length,
            digest: createHash('sha256').update(content).digest('hex'),
          })),
        }))
      : entry,
  );
}

/** Changes the JSON of an entry. */
export function changedJson(entry: Entry, change: (value: Record<string, unknown>) => unknown): Entry {
  return { ...entry, content: Buffer.from(JSON.stringify(change(JSON.parse(entry.content.toString())))) };
}

/** Changes one entry. */
export function changing(path: string, change: (entry: Entry) => Entry): (entries: Entry[]) => Entry[] {
  return (entries) => entries.map((entry) => (entry.path === path ? change(entry) : entry));
}

/** Adds lines to the `box.env` of a backup. */
export function addingLines(...lines: string[]): (entries: Entry[]) => Entry[] {
  return changing('settings/box.env', (entry) => ({
    ...entry,
    content: Buffer.concat([entry.content, Buffer.from(`${lines.join('\n')}\n`)]),
  }));
}

/** Removes the seals, so that the backup looks like one of an earlier version of the command. */
export function withoutSeals(entries: Entry[]): Entry[] {
  const strip = ({ seal: _, folders: __, ...rest }: Record<string, unknown>) => rest;
  return entries.map((entry) =>
    ['backup.json', 'manifest.json'].includes(entry.path) ? changedJson(entry, strip) : entry,
  );
}
