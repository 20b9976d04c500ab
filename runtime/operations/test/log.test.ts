/**
 * The log of a service, written by a process of its own to a file or a pipe: what a line says, and that the service goes
 * on whatever becomes of what it is written to.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { exactly } from '../../testing/exactly.ts';
import { until } from '../../testing/waiting.ts';

const home = new URL('../', import.meta.url);

/**
 * The service: for each message, so many lines of so many characters, and after them a word to whoever asked. A line of
 * its own is written during a request.
 */
const program = `
  import { withCurrentWork } from '${new URL('current-work.ts', home)}';
  import { openLog, switchLevelOnSignal } from '${new URL('log.ts', home)}';
  const log = openLog(process.env.LEVEL);
  switchLevelOnSignal(log);
  process.on('message', ({ level, lines = 1, size = 1, work = {} }) => {
    withCurrentWork(work, () => {
      for (let at = 0; at < lines; at++) log[level]({ at }, 'x'.repeat(size));
    });
    process.send('written');
  });
  process.send('ready');
`;

interface Service {
  child: ChildProcess;
  /** Resolves once the service has written, or has tried to, and answers whether it lives. */
  write(wanted: { level?: string; lines?: number; size?: number; work?: object }): Promise<boolean>;
}

/** @param output where its standard output goes: a file descriptor, or a pipe of ours */
async function startService(t: Test, output: number | 'pipe', level = 'info'): Promise<Service> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, LEVEL: level },
    stdio: ['ignore', output, 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(() => false);
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const said = () => Promise.race([once(child, 'message').then(() => true), ended]);
  await said();
  const write: Service['write'] = (wanted) => {
    child.send({ level: 'info', ...wanted });
    return said();
  };
  return { child, write };
}

async function openFile(t: Test, file: string, level?: string): Promise<Service> {
  const output = openSync(file, 'a');
  const service = await startService(t, output, level);
  closeSync(output);
  return service;
}
const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

t.test('a line is written at once, with the request it belongs to', async (t) => {
  const file = join(t.testdir({}), 'log');
  const { write } = await openFile(t, file);
  const trace = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true };
  t.ok(await write({ work: { requestId: 'r1', operationId: 'readThing', deliveryId: 'd1', trace } }));
  t.ok(await write({}));
  const [first, second, ...more] = linesOf(file).map(({ time, pid, hostname, ...rest }) => rest);
  t.strictSame(first, {
    level: 30,
    requestId: 'r1',
    operationId: 'readThing',
    deliveryId: 'd1',
    trace_id: trace.traceId,
    span_id: trace.spanId,
    at: 0,
    msg: 'x',
  });
  t.strictSame(second, { level: 30, at: 0, msg: 'x' });
  t.strictSame(more, []);
});

t.test('the level is the least that is logged, and a signal changes it while the service runs', async (t) => {
  const file = join(t.testdir({}), 'log');
  const { child, write } = await openFile(t, file, 'warn');
  const messages = () => linesOf(file).map(({ level, msg, to }) => [level, msg, to]);
  await write({ level: 'info' });
  await write({ level: 'warn' });
  t.strictSame(messages(), [[40, 'x', undefined]]);
  child.kill('SIGUSR2');
  await until(messages, ({ length }) => length === 2);
  await write({ level: 'debug' });
  child.kill('SIGUSR2');
  await until(messages, ({ length }) => length === 4);
  await write({ level: 'info' });
  t.strictSame(messages(), [
    [40, 'x', undefined],
    [30, 'log level changed', 'debug'],
    [20, 'x', undefined],
    [50, 'log level changed', 'warn'],
  ]);
});

t.test('a pipe that nobody reads any more ends the log, not the service', async (t) => {
  const { child, write } = await startService(t, 'pipe');
  const output = child.stdout as NonNullable<ChildProcess['stdout']>;
  const first = once(createInterface({ input: output }), 'line');
  t.ok(await write({}));
  t.match(await first, exactly([/"msg":"x"/]));
  output.destroy();
  for (let round = 0; round < 3; round++) t.ok(await write({ lines: 100, size: 1000 }));
});

const fullDevice = '/dev/full';
const noDevice = existsSync(fullDevice) ? false : `there is no ${fullDevice} here`;

t.test('a disk without room ends neither', { skip: noDevice }, async (t) => {
  const output = openSync(fullDevice, 'w');
  const { write } = await startService(t, output);
  closeSync(output);
  for (let round = 0; round < 3; round++) t.ok(await write({ lines: 1000, size: 1000 }));
});

const disk = smallDisk();

t.test('once there is room again, lines that have waited are written in their order', disk, async (t) => {
  const { file, write, makeRoom } = await openFullDisk(t);
  for (let round = 0; round < 20; round++) t.ok(await write({ size: 100 + round }));
  makeRoom();
  t.ok(await write({ size: 1 }));
  t.strictSame(lengthsOf(file), [10, ...Array.from({ length: 20 }, (_, round) => 100 + round), 1]);
});

t.test('no more than a megabyte waits, what comes then is lost, and the log goes on', disk, async (t) => {
  const { file, write, makeRoom } = await openFullDisk(t);
  t.ok(await write({ lines: 3000, size: 1000 }));
  // Until not the shortest line has a place any more.
  t.ok(await write({ lines: 100, size: 1 }));
  makeRoom();
  // What does not fit is lost, and what waits is written for it.
  t.ok(await write({ size: 2 }));
  t.ok(await write({ size: 3 }));
  const lengths = lengthsOf(file);
  const waited = lengths.filter((length) => length === 1000).length;
  t.ok(waited > 900 && waited < 1024, `${waited}`);
  t.strictSame([lengths[0], lengths.at(-1)], [10, 3]);
});

/** A file system of the test's own. */
function smallDisk(): { folder: string; skip: string | false } {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  let skip: string | false = false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    skip = `no file system can be mounted here: ${(error as Error).message.split('\n')[1] ?? ''}`;
  }
  t.teardown(() => {
    if (!skip) execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  return { folder, skip };
}

/** A service whose log, with one line of 10 characters in it, stands where there is no room any more. */
async function openFullDisk(t: Test) {
  const [file, filler] = [join(disk.folder, 'log'), join(disk.folder, 'filler')];
  t.teardown(() => rmSync(file));
  const { write } = await openFile(t, file);
  await write({ size: 10 });
  const filling = openSync(filler, 'w');
  try {
    for (;;) writeSync(filling, Buffer.alloc(4096));
  } catch (error) {
    t.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(filling);
  }
  // The last page of the log has room of its own.
  while (statSync(file).size % 4096 !== 0) writeFileSync(file, ' ', { flag: 'a' });
  return { file, write, makeRoom: () => rmSync(filler) };
}

function lengthsOf(file: string): number[] {
  return linesOf(file).map(({ msg }) => String(msg).length);
}
