/**
 * The command that runs rigs: its output and exit codes, and that it leaves nothing behind.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { processesWith } from '@carton/runtime/testing';
import t from 'tap';
import { folderPrefix, removeOrphanedRigs } from '../support/rig-processes.ts';
import { rig, rigUntil } from './support/rig.ts';

const serves = /the box serves at/;

t.test('help and usage errors', async (t) => {
  t.match(await rig('--help'), { code: 0, stdout: /crash .*\n[\s\S]*replicas .*\n[\s\S]*Exit codes/ });
  t.match(await rig('crash', '--help'), { code: 0, stdout: /--kills <number>/ });
  t.match(await rig(), { code: 2, stderr: /which rig/ });
  t.match(await rig('quake'), { code: 2, stderr: /unknown rig: quake/ });
  t.match(await rig('crash', '--kills', 'many'), { code: 2, stderr: /--kills is a whole number, not many/ });
  t.match(await rig('crash', '--database', 'other'), { code: 2, stderr: /embedded or separate, not other/ });
  t.match(await rig('crash', '--lives', '9'), { code: 2, stderr: /--lives/ });
});

t.test('an interrupted rig stops everything that it started', async (t) => {
  const interrupt = (child: { kill(signal: 'SIGINT'): void }) => child.kill('SIGINT');
  const { code, output } = await rigUntil(serves, interrupt, 'crash', '--short', '--keep');
  t.equal(code, 1);
  t.match(output, /"failed":"it was interrupted \(SIGINT\)"/);
  t.notMatch(output, /could not be stopped|did not stop/);
  const [, folder] = /kept its folder: (\S+)/.exec(output) as unknown as [string, string];
  t.strictSame(processesWith(folder), [], 'no process remains');
  t.ok(existsSync(folder), 'but the folder does, with --keep');
  await rm(folder, { recursive: true });
});

t.test('the next rig removes what a killed rig left behind', async (t) => {
  let pid = 0;
  await rigUntil(
    serves,
    (child) => {
      pid = child.pid as number;
      child.kill('SIGKILL');
    },
    'crash',
    '--short',
  );
  t.ok(processesWith(folderPrefix(pid)).length > 0, 'its box is still running');
  const folders = await removeOrphanedRigs();
  const left = folders.find((folder) => folder.includes(folderPrefix(pid)));
  t.ok(left);
  t.strictSame(processesWith(left as string), []);
  t.notOk(existsSync(left as string));
});
