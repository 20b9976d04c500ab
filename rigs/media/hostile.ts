/**
 * Uploads hostile files: each is refused with a problem, or what the box stores and serves of it is harmless.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Random } from '../../tools/seed/random.ts';
import { withReader } from '../support/postgres.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { type Download, isProblem, type MediaClient } from './client.ts';
import { filesBelow } from './folder.ts';
import { type HostileFile, hostileFiles } from './hostile-files.ts';
import { faultsOfFile } from './inspect.ts';

/** Uploads in flight. */
const concurrency = 4;
const refusals = [400, 413, 415];

interface Outcome {
  file: HostileFile;
  faults: string[];
  /** The code of the problem, or `made harmless`. */
  end: string;
  milliseconds: number;
}

/** @param folder of the stored files */
export async function uploadHostileFiles(
  stage: Stage,
  client: MediaClient,
  { folder, databaseUrl, seed, count }: { folder: string; databaseUrl: string; seed: number; count: number },
): Promise<Findings> {
  const files = hostileFiles(new Random(seed), count);
  const outcomes: Outcome[] = [];
  const upload = async () => {
    for (let next = await files.next(); !next.done; next = await files.next()) {
      stage.signal.throwIfAborted();
      outcomes.push(await outcomeOf(client, next.value));
      if (outcomes.length % 50 === 0) stage.say(`${outcomes.length} of ${count} hostile files`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, upload));
  const stored = await storedFaults(folder, databaseUrl);
  const ends = Object.entries(Object.groupBy(outcomes, ({ end }) => end)).map(([end, of]) => [end, of?.length ?? 0]);
  const slowest = outcomes.toSorted((one, other) => other.milliseconds - one.milliseconds)[0];
  if (slowest) stage.say(`the slowest took ${Math.round(slowest.milliseconds)} ms: ${slowest.file.what}`);
  return {
    broken: [
      ...outcomes.flatMap(({ file, faults }) => faults.map((fault) => `${file.what}: ${fault}`)),
      ...stored.broken,
    ],
    counts: {
      hostileFiles: outcomes.length,
      ...Object.fromEntries(ends),
      filesInspected: stored.inspected,
      slowestHostileMs: Math.round(slowest?.milliseconds ?? 0),
    },
  };
}

async function outcomeOf(client: MediaClient, file: HostileFile): Promise<Outcome> {
  const started = performance.now();
  const ended = (end: string, faults: string[]): Outcome => {
    return { file, end, faults, milliseconds: performance.now() - started };
  };
  try {
    const response = await client.upload(
      new Blob([new Uint8Array(file.content)], { type: file.claimedType }),
      file.name,
    );
    const { status, body } = response;
    if (status !== 201) {
      const text = `${status} ${JSON.stringify(body)}`;
      return ended(
        body?.code ?? 'no problem',
        isProblem(response, refusals) ? [] : [`it is neither stored nor refused: ${text}`],
      );
    }
    const faults = await servedFaults(client, body);
    return ended('made harmless', faults);
  } catch (error) {
    return ended('no response', [`there was no response: ${(error as Error).message}`]);
  }
}

interface Asset {
  id: string;
  kind: string;
  mediaType: string;
  sha256: string;
  url: string;
  variants: { url: string; mediaType: string }[];
}

/** What is wrong with the files of an asset as visitors get them: the original, and the smallest variants. */
async function servedFaults(client: MediaClient, { kind, mediaType, sha256, url, variants }: Asset): Promise<string[]> {
  const original = await client.download(url);
  const faults = faultsOfDownload(original, kind, mediaType);
  const hash = createHash('sha256').update(original.bytes).digest('hex');
  if (hash !== sha256) faults.push('its served bytes are not those that were stored');
  for (const variant of variants.slice(0, 2)) {
    const found = faultsOfDownload(await client.download(variant.url), kind, variant.mediaType);
    faults.push(...found.map((fault) => `${variant.url}: ${fault}`));
  }
  return faults;
}

function faultsOfDownload({ status, headers, bytes }: Download, kind: string, mediaType: string): string[] {
  if (status !== 200) return [`reading it got ${status}`];
  const policy = headers.get('content-security-policy') ?? '';
  const disposition = headers.get('content-disposition') ?? '';
  const rules: [boolean, string][] = [
    [headers.get('content-type') === mediaType, `it is served as ${headers.get('content-type')}, not ${mediaType}`],
    [headers.get('x-content-type-options') === 'nosniff', 'browsers may guess its type'],
    [policy.includes("default-src 'none'") && policy.endsWith('sandbox'), `its security policy is ${policy}`],
    [disposition.startsWith(kind === 'document' ? 'attachment;' : 'inline;'), `its disposition is ${disposition}`],
  ];
  return [...rules.filter(([holds]) => !holds).map(([, fault]) => fault), ...faultsOfFile(bytes, mediaType)];
}

/** What is wrong with the files in the storage, which is all that the box has kept. */
function storedFaults(folder: string, databaseUrl: string): Promise<{ broken: string[]; inspected: number }> {
  return withReader(databaseUrl, async (read) => {
    const rows = await read<{ id: string; mediaType: string }>('select id, media_type as "mediaType" from media_files');
    const typeOfFile = new Map(rows.map(({ id, mediaType }) => [id, mediaType]));
    const broken: string[] = [];
    const paths = await filesBelow(folder);
    for (const path of paths) {
      const mediaType = typeOfFile.get(basename(path));
      const faults = mediaType ? faultsOfFile(await readFile(path), mediaType) : ['no record tells its type'];
      broken.push(...faults.map((fault) => `the stored file ${basename(path)}: ${fault}`));
    }
    return { broken, inspected: paths.length };
  });
}
