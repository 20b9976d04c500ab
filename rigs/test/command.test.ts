/**
 * The command that runs rigs as its reader meets it: what it says, and that it leaves nothing behind.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import t from 'tap';
import { clearStrays, folderPrefix } from '../strays.ts';
import { rig, rigUntil } from './support/rig.ts';

/** Command lines of everything that runs. */
const running = async () => (await promisify(execFile)('ps', ['-eo', 'args'], { maxBuffer: 2 ** 24 })).stdout;
const serves = /the box serves at/;

t.test('it says what it can do, and what is wrong', async (t) => {
  t.match(await rig('--help'), { code: 0, stdout: /crash .*\n[\s\S]*replicas .*\n[\s\S]*Exit codes/ });
  t.match(await rig('crash', '--help'), { code: 0, stdout: /--kills <number>/ });
  t.match(await rig(), { code: 2, stderr: /which rig/ });
  t.match(await rig('quake'), { code: 2, stderr: /no rig called quake/ });
  t.match(await rig('crash', '--kills', 'many'), { code: 2, stderr: /--kills is a whole number, not many/ });
  t.match(await rig('crash', '--database', 'other'), { code: 2, stderr: /embedded or separate, not other/ });
  t.match(await rig('crash', '--lives', '9'), { code: 2, stderr: /--lives/ });
});

t.test('interrupted, it stops all it has started', async (t) => {
  const interrupt = (child: { kill(signal: 'SIGINT'): void }) => child.kill('SIGINT');
  const { code, output } = await rigUntil(serves, interrupt, 'crash', '--short', '--keep');
  t.equal(code, 1);
  t.match(output, /"failed":"it was interrupted \(SIGINT\)"/);
  t.notMatch(output, /could not be stopped|had not stopped/);
  const [, folder] = /its folder stays: (\S+)/.exec(output) as unknown as [string, string];
  t.notMatch(await running(), folder, 'no process is left');
  t.ok(existsSync(folder), 'but its folder, as was asked');
  await rm(folder, { recursive: true });
});

t.test('killed, what it leaves is cleared away by the next', async (t) => {
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
  t.match(await running(), folderPrefix(pid), 'its box runs on');
  const folders = await clearStrays();
  const left = folders.find((folder) => folder.includes(folderPrefix(pid)));
  t.ok(left);
  t.notMatch(await running(), left as string);
  t.notOk(existsSync(left as string));
});
