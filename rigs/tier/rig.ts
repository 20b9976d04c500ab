/**
 * All kills, crashes and races of the basic tier, in rounds for a given time: crash, payments, mails and races, each with its
 * own checks. At the end the books of every store of every round are checked once more, in the databases that remain.
 */
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../runtime/db/embedded.ts';
import { rig as crash } from '../crash/rig.ts';
import { rig as mails } from '../mails/rig.ts';
import { rig as payments } from '../payments/rig.ts';
import { rig as races } from '../races/rig.ts';
import { addCounts, checkBooks } from '../support/books.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { runPart } from '../support/stage.ts';

/** The options of each part: a round takes about ten minutes, and a minute or two for each part in the short form. */
const parts: {
  name: string;
  rig: Rig;
  values: Record<string, string>;
  short: Record<string, string>;
  hasBox: boolean;
}[] = [
  {
    name: 'crash',
    rig: crash,
    values: { kills: '10', crashes: '3' },
    short: { kills: '2', crashes: '1' },
    hasBox: true,
  },
  {
    name: 'payments',
    rig: payments,
    values: { orders: '300', kills: '8' },
    short: { orders: '24', kills: '1', lifetime: '30' },
    hasBox: true,
  },
  {
    name: 'mails',
    rig: mails,
    values: { kills: '8', outages: '1', away: '20' },
    short: { kills: '2', outages: '1', away: '2' },
    hasBox: true,
  },
  { name: 'races', rig: races, values: { rounds: '20' }, short: { rounds: '2' }, hasBox: false },
];

export const rig: Rig = {
  about: 'Crash, payments, mails and races in rounds for a given time, and one check of the books of all stores.',
  options: {
    minutes: {
      about: 'minutes during which parts begin; the first round is always complete',
      defaultValue: '60',
      short: '0',
    },
  },
  timeLimit: (stage) => 3600 + 60 * stage.number('minutes'),
  async run(stage) {
    const until = performance.now() + stage.number('minutes') * 60_000;
    const broken: string[] = [];
    const folders: string[] = [];
    let counts: Findings['counts'] = {};
    let rounds = 0;
    while (rounds === 0 || performance.now() < until) {
      rounds++;
      for (const part of parts) {
        if (rounds > 1 && performance.now() >= until) break;
        const name = `${rounds}-${part.name}`;
        const found = await runSafely(stage, part, name);
        broken.push(...found.broken.map((line) => `${name}: ${line}`));
        counts = addCounts(counts, found.counts);
        if (part.hasBox) folders.push(join(stage.folder, name));
        const left = Math.max(0, Math.round((until - performance.now()) / 60_000));
        stage.say(
          `${name}: ${found.broken.length === 0 ? 'held' : `${found.broken.length} broken`}; ${left} minutes left`,
        );
      }
    }
    stage.say(`checking the books of ${folders.length} boxes`);
    for (const folder of folders) {
      const books = await booksOf(join(folder, 'box', 'data', 'postgresql'));
      broken.push(...books.broken.map((line) => `books of ${folder.split('/').at(-1)}: ${line}`));
      counts = addCounts(counts, books.counts);
    }
    return { broken, counts: { rounds, boxes: folders.length, ...counts } };
  },
};

/** Runs a part. A part that could not finish is a broken promise, unless the rig is interrupted. */
async function runSafely(
  stage: Stage,
  { name: kind, rig, values, short }: (typeof parts)[number],
  name: string,
): Promise<Findings> {
  try {
    const { broken, counts } = await runPart(stage, rig, { name, values: stage.short ? short : values });
    return {
      broken,
      counts: {
        [`${kind}Parts`]: 1,
        kills: counts.kills ?? 0,
        crashes: counts.crashes ?? 0,
        racesPassed: counts.passed ?? 0,
      },
    };
  } catch (error) {
    stage.signal.throwIfAborted();
    return { broken: [`it failed: ${(error as Error).message}`], counts: {} };
  }
}

/** Starts the database of a box that has stopped, and checks it. */
async function booksOf(directory: string): Promise<Findings> {
  const { url, stop } = await startEmbeddedPostgres({ directory });
  try {
    return await checkBooks(url);
  } finally {
    await stop();
  }
}
