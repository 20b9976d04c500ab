/**
 * The rigs in their short form: the same promises, a few rounds. Their command as its reader meets it.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';

const program = fileURLToPath(new URL('../rigs/run.ts', import.meta.url));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command to its end. */
function rig(...words: string[]): Promise<Ended> {
  const run = promisify(execFile)(process.execPath, ['--conditions=workspace-source', program, ...words]);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error) => error as Ended,
  );
}

const lastLine = ({ stdout }: Ended) => JSON.parse(stdout.trim().split('\n').at(-1) as string);

t.test('crash: kills and crashes under checkouts lose nothing', async (t) => {
  const ended = await rig('crash', '--short', '--kills', '2', '--crashes', '1');
  const found = lastLine(ended);
  t.match(found, { rig: 'crash', held: true, broken: [], kills: 2, crashes: 1 }, ended.stdout + ended.stderr);
  t.equal(ended.code, 0);
  t.ok(found.orders > 0, 'there was trade');
  t.equal(found.orders, found.toldOfOrder + found.foundCartOrdered);
  t.match(ended.stdout, /3 of 3: \w+.* served again after \d+ ms/, 'it tells how far it has come');
});

t.test('the command says what it can do, and what is wrong', async (t) => {
  t.match(await rig('--help'), { code: 0, stdout: /crash .*\n[\s\S]*Exit codes/ });
  t.match(await rig('crash', '--help'), { code: 0, stdout: /--kills <number>/ });
  t.match(await rig(), { code: 2, stderr: /which rig/ });
  t.match(await rig('quake'), { code: 2, stderr: /no rig called quake/ });
  t.match(await rig('crash', '--kills', 'many'), { code: 2, stderr: /--kills is a whole number, not many/ });
  t.match(await rig('crash', '--database', 'other'), { code: 2, stderr: /embedded or separate, not other/ });
  t.match(await rig('crash', '--lives', '9'), { code: 2, stderr: /--lives/ });
});

t.test('a rig that is interrupted stops all it has started', async (t) => {
  const child = execFile(process.execPath, ['--conditions=workspace-source', program, 'crash', '--short', '--keep']);
  let output = '';
  child.stdout?.on('data', (chunk: string) => {
    output += chunk;
    if (/^ *[\d.]+ s {2}1 of /m.test(chunk)) child.kill('SIGINT');
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  t.equal(code, 1);
  const [, folder] = /its folder stays: (\S+)/.exec(output) as RegExpExecArray;
  t.match(output, /"failed":"it was interrupted \(SIGINT\)"/);
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  t.notMatch(stdout, folder as string, 'no process is left');
  t.ok(existsSync(folder as string));
  await rm(folder as string, { recursive: true });
});
