/**
 * A command that removes the PID file of a box that has ended never removes that of the next one, which its supervisor
 * writes at the same moment: the command could not find the box that runs.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { boxFolder } from '../box/folder.ts';
import { identify } from '../box/process-table.ts';
import { findRunningBox, type RunningBox, removePidFile, writePidFile } from '../box/running.ts';

const { pid } = process;
const identity = (await identify(pid)) as string;
const next: RunningBox = { pid, identity, release: 'next', supervised: false, orphaned: false };
const ended: RunningBox = { ...next, identity: identity.replace(/.$/, 'x'), release: 'ended' };

t.test('the PID file of the next box stays', async (t) => {
  const folder = boxFolder(t.testdir());
  await mkdir(folder.run);
  for (let round = 0; round < 20 * raceRounds; round++) {
    await writePidFile(folder, ended);
    // The moments differ from round to round.
    const later = async () => {
      for (let turn = 0; turn < round % 12; turn++) await new Promise(setImmediate);
      await writePidFile(folder, next);
    };
    await Promise.all([removePidFile(folder, ended), later()]);
    t.match(await findRunningBox(folder), { release: 'next' });
  }
  t.strictSame(await readdir(folder.run), ['box.pid']);
});

t.test('that of a box that has ended is removed, and a missing one is none to remove', async (t) => {
  const folder = boxFolder(t.testdir());
  await mkdir(folder.run);
  await removePidFile(folder, ended);
  await writePidFile(folder, ended);
  await removePidFile(folder, next);
  t.strictSame(await readdir(folder.run), ['box.pid']);
  await removePidFile(folder, ended);
  t.strictSame(await readdir(folder.run), []);
});
