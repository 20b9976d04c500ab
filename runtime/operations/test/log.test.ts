/**
 * The log of a service, written by another process to a file or a pipe: the fields of a line, and that the service
 * continues when the log cannot be written.
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
 * The service: for each message it writes a number of lines with a number of characters, then responds. With `work`,
 * the lines are part of that request.
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
  /** Resolves after the service has tried to write: true while the service runs. */
  write(request: { level?: string; lines?: number; size?: number; work?: object }): Promise<boolean>;
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
  const response = () => Promise.race([once(child, 'message').then(() => true), ended]);
  await response();
  const write: Service['write'] = (request) => {
    child.send({ level: 'info', ...request });
    return response();
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

t.test('a line is written immediately, with the request it belongs to', async (t) => {
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

t.test('lower levels are not logged, and a signal changes the level while the service runs', async (t) => {
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

t.test('a closed pipe ends the log, not the service', async (t) => {
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

t.test('a full disk ends neither', { skip: noDevice }, async (t) => {
  const output = openSync(fullDevice, 'w');
  const { write } = await startService(t, output);
  closeSync(output);
  for (let round = 0; round < 3; round++) t.ok(await write({ lines: 1000, size: 1000 }));
});

const disk = smallDisk();

t.test('when there is space again, buffered lines are written in their order', disk, async (t) => {
  const { file, write, freeSpace } = await openFullDisk(t);
  for (let round = 0; round < 20; round++) t.ok(await write({ size: 100 + round }));
  freeSpace();
  t.ok(await write({ size: 1 }));
  t.strictSame(lengthsOf(file), [10, ...Array.from({ length: 20 }, (_, round) => 100 + round), 1]);
});

t.test('at most a megabyte is buffered, further lines are dropped, and the log continues', disk, async (t) => {
  const { file, write, freeSpace } = await openFullDisk(t);
  t.ok(await write({ lines: 3000, size: 1000 }));
  // Until there is no space for even the shortest line.
  t.ok(await write({ lines: 100, size: 1 }));
  freeSpace();
  // A line that does not fit is dropped, and makes the stream write the buffered ones.
  t.ok(await write({ size: 2 }));
  t.ok(await write({ size: 3 }));
  const lengths = lengthsOf(file);
  const buffered = lengths.filter((length) => length === 1000).length;
  t.ok(buffered > 900 && buffered < 1024, `${buffered}`);
  t.strictSame([lengths[0], lengths.at(-1)], [10, 3]);
});

/** A small file system for the test. */
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

/** A service whose log, with one line of 10 characters, is on a full disk. */
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
  // The last page of the log still has space.
  while (statSync(file).size % 4096 !== 0) writeFileSync(file, ' ', { flag: 'a' });
  return { file, write, freeSpace: () => rmSync(filler) };
}

function lengthsOf(file: string): number[] {
  return linesOf(file).map(({ msg }) => String(msg).length);
}
