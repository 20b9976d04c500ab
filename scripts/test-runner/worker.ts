/**
 * A process that runs test files one after another, each as a subtest of its own, so that the engine and all packages
 * are loaded and compiled once for many files. `import t from 'tap'` of a test file resolves to the subtest of that
 * file, whose teardown runs before the next file. The parent names the files; TAP goes to a descriptor of its own, and
 * what the file took, with what fails after its file has ended, goes to the parent.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { type Test, t } from 'tap';
import { cpuTime } from '../../tools/cpu-time.ts';
import { escapeLineEnds } from './line-ends.ts';
import { watchFile, watchResources } from './open-resources.ts';
import { type FromWorker, type ToWorker, tapDescriptor } from './worker-messages.ts';

// Coverage is that of the tests' processes: measuring each of the programs that they start takes half as long again.
delete process.env.NODE_V8_COVERAGE;
// Of `npm test --silent`: npm in a test would say nothing either.
delete process.env.npm_config_loglevel;
// An error deep in a library, as of tap when it shows a date that is none, must have the test in its stack.
Error.stackTraceLimit = 50;

/** Milliseconds for a file that sets no limit of its own: as in .taprc. */
const timeoutOfFile = 1_800_000;

/** Milliseconds for what the files have left to end, after the last one. */
const timeToEnd = 10_000;

const scheme = 'tap-of:';

/** The subtests by the URL of their file. */
const subtests = new Map<string, Test>();
Object.assign(globalThis, { subtestOf: (url: string) => subtests.get(url) });

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'tap' || !subtests.has(context.parentURL ?? '')) return next(specifier, context);
    return { url: `${scheme}${context.parentURL}`, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    if (!url.startsWith(scheme)) return next(url, context);
    const source = `export default globalThis.subtestOf(${JSON.stringify(url.slice(scheme.length))});`;
    return { source, format: 'module', shortCircuit: true };
  },
});
watchResources();
escapeLineEnds();

// A file may replace what it wants of its process.
const send = process.send?.bind(process);
const write = process.stdout.write.bind(process.stdout);
const tell = (message: FromWorker) => send?.(message, undefined, undefined, () => {});

/** The file whose code runs, also after the file has ended. */
const current = new AsyncLocalStorage<string>();

/** Tells of a failure that no running test has. */
function tellOrphaned(error: unknown): void {
  const { message, stack } = error instanceof Error ? error : { message: inspect(error), stack: '' };
  tell({ orphaned: { name: message, stack: stack ?? '', file: current.getStore() ?? null } });
}

/** What the file has set as the exit code of the process, which belongs to the run. */
function takeExitCode(): string | undefined {
  const { exitCode } = process;
  process.exitCode = undefined;
  return exitCode === undefined ? undefined : String(exitCode);
}

async function runFile(all: Test, file: string, mark: string): Promise<void> {
  const { href } = pathToFileURL(join(process.cwd(), file));
  const environment = { ...process.env };
  const directory = process.cwd();
  const leftOpen = watchFile();
  const cpu = cpuTime();
  const started = performance.now();
  // A test that waits for what never comes ends this process, and fails: the channel does not keep it alive.
  process.channel?.unref();
  await current.run(file, () =>
    all.test(file, { timeout: timeoutOfFile }, async (test) => {
      subtests.set(href, test);
      await import(href);
    }),
  );
  process.channel?.ref();
  const open = await leftOpen();
  subtests.delete(href);
  process.chdir(directory);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  const exitCode = takeExitCode();
  write(mark);
  tell({
    ended: {
      file,
      cpuSeconds: cpuTime() - cpu,
      wallSeconds: (performance.now() - started) / 1000,
      memory: process.memoryUsage.rss(),
      open,
      ...(exitCode !== undefined && { exitCode }),
    },
  });
}

/** Waits for what the files have left behind: it may still fail. */
function endProcess(): void {
  process.off('beforeExit', endWaiting);
  process.once('beforeExit', () => tell({ done: true }));
  // The tests of tap have ended, and with them their handling of errors.
  process.on('uncaughtException', tellOrphaned);
  process.channel?.unref();
  setTimeout(() => {
    // The channel is one that the process has in any case.
    const names = new Set(process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap'));
    send?.({ stuck: [...names].join(', ') } satisfies FromWorker, undefined, undefined, () => process.exit(1));
  }, timeToEnd).unref();
}

/** By then tap has failed the test that waits, as it has registered its own listener. */
const endWaiting = () => process.exit(1);

process.on('exit', () => tell({ exiting: { file: current.getStore() ?? null } }));
// The run has been killed.
process.on('disconnect', () => process.exit(1));
t.pipe(
  new Writable({
    write(chunk: Buffer, _, written) {
      for (let from = 0; from < chunk.length; ) from += writeSync(tapDescriptor, chunk, from);
      written();
    },
  }),
);
t.register();
process.on('beforeExit', endWaiting);
t.setTimeout(0);
// With the first line tap stops listening to the channel; from then on the process lives as long as it has files.
t.comment('ready');
process.channel?.ref();
// tap's own test ends as soon as it has nothing to do for a moment, so the files are not directly below it.
await t.test('files', { timeout: 0 }, async (all) => {
  // A test that has ended passes its errors on to those around it.
  all.threw = tellOrphaned;
  t.threw = tellOrphaned;
  let last = Promise.resolve();
  await new Promise<void>((resolve) => {
    process.on('message', ({ file, mark, atOnce }: ToWorker) => {
      if (atOnce) process.exit(0);
      last = last.then(() => (file === null ? resolve() : runFile(all, file, mark)));
    });
  });
});
t.end();
await sleep(0);
// tap has set it if a test has failed, which the parent knows.
process.exitCode = undefined;
endProcess();
