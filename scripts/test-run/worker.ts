/**
 * A process that runs test files one after another, each as a subtest of its own, so that the engine and all packages
 * are loaded and compiled once for many files. `import t from 'tap'` of a test file resolves to the subtest of that
 * file, whose teardown runs before the next file. The parent names the files; TAP goes to standard output, and what the
 * file took goes to the parent.
 */
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Test, t } from 'tap';
import { cpuTime } from '../../tools/cpu-time.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

// Coverage is that of the tests' processes: measuring each of the programs that they start takes half as long again.
delete process.env.NODE_V8_COVERAGE;
// Of `npm test --silent`: npm in a test would say nothing either.
delete process.env.npm_config_loglevel;

/** Milliseconds for a file that sets no limit of its own: as in .taprc. */
const timeoutOfFile = 1_800_000;

/** Milliseconds for what a file has ended to be gone. */
const timeToEnd = 3000;

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

/** Servers and child processes that this process has open. */
function openResources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap' || name === 'ProcessWrap');
}

/** What a file has left open; a test that ends must end what it started. */
async function leftOpen(before: number): Promise<string[]> {
  for (const started = performance.now(); performance.now() - started < timeToEnd; await sleep(20)) {
    if (openResources().length <= before) return [];
  }
  return openResources().slice(before);
}

async function runFile(all: Test, file: string): Promise<void> {
  const { href } = pathToFileURL(join(process.cwd(), file));
  const environment = { ...process.env };
  const directory = process.cwd();
  const resources = openResources().length;
  const cpu = cpuTime();
  const started = performance.now();
  // A test that waits for what never comes ends this process, and fails: the channel does not keep it alive.
  process.channel?.unref();
  await all.test(file, { timeout: timeoutOfFile }, async (test) => {
    subtests.set(href, test);
    await import(href);
  });
  process.channel?.ref();
  const open = await leftOpen(resources);
  subtests.delete(href);
  process.chdir(directory);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  const message: FromWorker = {
    file,
    cpuSeconds: cpuTime() - cpu,
    wallSeconds: (performance.now() - started) / 1000,
    memory: process.memoryUsage.rss(),
    open,
  };
  process.send?.(message);
}

// By then tap has failed the test that waits, as it has registered its own listener.
process.on('beforeExit', () => process.exit(1));
t.setTimeout(0);
// With the first line tap stops listening to the channel; from then on the process lives as long as it has files.
t.comment('ready');
process.channel?.ref();
// tap's own test ends as soon as it has nothing to do for a moment, so the files are not directly below it.
await t.test('files', { timeout: 0 }, async (all) => {
  let last = Promise.resolve();
  await new Promise<void>((resolve) => {
    process.on('message', ({ file }: ToWorker) => {
      last = last.then(() => (file === null ? resolve() : runFile(all, file)));
    });
  });
});
process.disconnect();
