/**
 * Uploads hostile files, many large files at once, and files to an S3-compatible service that goes away: everything that
 * the box stores and serves is harmless, its memory is bounded, and no file is lost or left behind.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { freePort } from '@carton/runtime/testing';
import { openTenantAt } from '../../tools/load/tenant.ts';
import { type RigBox, secrets, startRigBox } from '../support/box.ts';
import { peakMemoryOf, resetPeak } from '../support/memory.ts';
import { urlOfEmbedded, withReader } from '../support/postgres.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { mediaClient } from './client.ts';
import { cleanUp, filesBelow, orphanFaults } from './folder.ts';
import { uploadHostileFiles } from './hostile.ts';
import { takeServiceAway } from './outage.ts';
import { startS3rver } from './s3-service.ts';
import { missingSwift, startSwift } from './swift.ts';
import { uploadAtOnce } from './uploads.ts';

export const rig: Rig = {
  about: 'Uploads hostile files, many large files at once, and files to a storage service that goes away.',
  options: {
    hostile: { about: 'hostile files', defaultValue: '300', short: '100' },
    uploads: { about: 'files of 20 MiB that are uploaded at once', defaultValue: '100', short: '12' },
    memory: { about: 'MiB of memory that the box may use at most', defaultValue: '1024' },
    seed: { about: 'seed of the hostile files', defaultValue: '1' },
    swift: {
      about: 'whether OpenStack Swift is a storage service as well, if it is installed',
      defaultValue: 'yes',
      short: 'no',
      oneOf: ['yes', 'no'],
    },
  },
  timeLimit: (stage) => 240 + stage.number('hostile') + 4 * stage.number('uploads'),
  async run(stage) {
    stage.say('starting a box');
    const temporary = join(stage.folder, 'temporary');
    await mkdir(temporary);
    const port = await freePort();
    const box = await startRigBox(stage, { name: 'box', port, environment: { TMPDIR: temporary } });
    const folder = join(stage.folder, 'box', 'data', 'media');
    const databaseUrl = await urlOfEmbedded(box.databaseFolder);
    const store = await openStore(box, 'files');
    const client = mediaClient(box.url, store);
    const hostileOptions = { folder, databaseUrl, seed: stage.number('seed'), count: stage.number('hostile') };
    const parts = [
      await withMemory(stage, box, 'Hostile', () => uploadHostileFiles(stage, client, hostileOptions)),
      await withMemory(stage, box, 'Uploads', () => uploadAtOnce(stage, client, stage.number('uploads'))),
    ];
    await cleanUp(stage, databaseUrl);
    const names = (await filesBelow(folder)).map((path) => basename(path));
    const left = (await filesBelow(temporary)).map((path) => `${path} was left behind`);
    const orphans = await withReader(databaseUrl, (read) => orphanFaults(read, names, store.tenantId));
    parts.push({ broken: [...orphans, ...left], counts: { filesStored: names.length } });

    const missing = missingSwift();
    const hasSwift = stage.word('swift') === 'yes' && missing === false;
    if (missing) stage.say(`without Swift: ${missing}`);
    for (const start of [startS3rver, ...(hasSwift ? [startSwift] : [])]) {
      const service = await start(stage);
      await configure(stage, box, service.environment);
      const url = await urlOfEmbedded(box.databaseFolder);
      parts.push(await takeServiceAway(stage, box, await openStore(box, service.name), service, url));
    }
    return {
      broken: parts.flatMap(({ broken }) => broken),
      counts: Object.assign({}, ...parts.map(({ counts }) => counts)),
    };
  },
};

const openStore = (box: RigBox, slug: string) => openTenantAt(box.url, { secrets, slug, products: 0, stock: 0 });

/** Adds settings to a box, which is restarted. */
async function configure(stage: Stage, box: RigBox, settings: Record<string, string>): Promise<void> {
  await box.stop();
  const file = join(stage.folder, box.name, 'box.env');
  const others = (await readFile(file, 'utf8')).split('\n').filter((line) => line && !line.startsWith('MEDIA_'));
  const lines = [...others, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)];
  await writeFile(file, `${lines.join('\n')}\n`);
  await box.start();
}

/** Does some work and measures the memory of the box; it must stay within the limit, and the box must still serve. */
async function withMemory(stage: Stage, box: RigBox, name: string, work: () => Promise<Findings>): Promise<Findings> {
  const pid = await box.pid();
  await resetPeak(pid);
  const { broken, counts } = await work();
  if ((await box.pid()) !== pid) return { broken: [...broken, `the box was restarted by itself (${name})`], counts };
  const peak = await peakMemoryOf(pid);
  const limit = stage.number('memory');
  stage.say(`the box used at most ${peak} MiB of memory; the limit is ${limit}`);
  const health = await fetch(`${box.url}/health`);
  return {
    broken: [
      ...broken,
      ...(peak <= limit ? [] : [`the box used ${peak} MiB of memory, allowed are ${limit} (${name})`]),
      ...(health.status === 200 ? [] : [`/health is ${health.status} (${name})`]),
    ],
    counts: { ...counts, [`peakMemoryMiBOf${name}`]: peak },
  };
}
