/**
 * A box as partners run it: a folder as the installer lays it out, run by `start --foreground`, which restarts it after a
 * crash. Only its program comes from the source tree, so that rigs need no build.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import { type BoxFolder, boxFolder, releaseEntry, releaseFolder } from '../../installer/box/folder.ts';
import { fetchHealthStatus } from '../../installer/box/health.ts';
import { findRunningBox } from '../../installer/box/running.ts';
import { writeSettings } from '../../installer/box/settings.ts';
import { packageFolder, switchCurrent } from '../../installer/release/layout.ts';
import { lockFileName, runtimePackage, vendor } from '../../installer/vendor.ts';
import type { Stage } from './rig.ts';

const root = dirname(sourceRoot);
const cli = fileURLToPath(new URL('../../installer/cli.ts', import.meta.url));
const source = '--conditions=workspace-source';
const release = 'source';
/** Milliseconds that a box may take to stop: it drains, and finishes work in progress. */
const stopTimeout = 40_000;

/** The same for every box of a rig. */
export const secrets = {
  operatorSecret: randomBytes(24).toString('hex'),
  hostingSecret: randomBytes(24).toString('hex'),
};

export interface RigBoxOptions {
  name: string;
  port: number;
  /** The PostgreSQL to use instead of the embedded one. */
  databaseUrl?: string;
  /** Additional packages, beside those of the highest tier: folders by full name. */
  packages?: Record<string, string>;
  /** Additional environment variables. */
  environment?: Record<string, string>;
  /** The address of a module that is loaded before the box. */
  preload?: URL;
  /** Whether `carton start` runs it, in the background; otherwise `start --foreground`. */
  background?: boolean;
}

export interface RigBox {
  name: string;
  url: string;
  port: number;
  folder: BoxFolder;
  /** Folder of its embedded PostgreSQL. */
  databaseFolder: string;
  /** File with its output. */
  log: string;
  /** Its process id. @throws Error if it does not run */
  pid(): Promise<number>;
  /** Sends SIGKILL to the process; returns its id. */
  kill(): Promise<number>;
  /** Waits until a process other than `other` responds with 200; returns the milliseconds. */
  untilServes(other?: number): Promise<number>;
  /** Sends SIGTERM to its parent, as `systemctl stop` does; resolves with the exit status. */
  stop(): Promise<number | null>;
  /** Starts it again after a stop; resolves once it serves. */
  start(): Promise<void>;
  /** Begins a command of `carton` on it, without its output. */
  begin(...words: string[]): ChildProcess;
  /** Runs a command of `carton` on it; resolves with the exit status and the output. */
  command(...words: string[]): Promise<{ code: number; output: string }>;
}

/** Starts a box and waits until it serves; it is stopped when the rig ends. */
export async function startRigBox(stage: Stage, options: RigBoxOptions): Promise<RigBox> {
  const { name, port } = options;
  const folder = boxFolder(join(stage.folder, name));
  await layOut(folder, options);
  const url = `http://127.0.0.1:${port}`;
  const log = options.background ? folder.log : join(stage.folder, `${name}.log`);
  const environment = { PATH: process.env.PATH, HOME: folder.root };
  let parent: ChildProcess | null = null;

  const run = () => {
    const output = openSync(log, 'a');
    parent = spawn(process.execPath, [source, cli, 'start', '--foreground', '--json', '--dir', folder.root], {
      env: environment,
      stdio: ['ignore', output, output],
      // Ctrl-C in a terminal reaches only the rig, which stops its boxes before their database.
      detached: true,
    });
    closeSync(output);
  };
  const box: RigBox = {
    name,
    url,
    port,
    folder,
    databaseFolder: join(folder.data, 'postgresql'),
    log,
    async pid() {
      const running = await findRunningBox(folder);
      if (!running) throw new Error(`${name} does not run`);
      return running.pid;
    },
    async kill() {
      const pid = await box.pid();
      process.kill(pid, 'SIGKILL');
      return pid;
    },
    async untilServes(other) {
      const started = performance.now();
      for (;;) {
        stage.signal.throwIfAborted();
        if (parent?.exitCode != null) {
          const last = (await readFile(log, 'utf8').catch(() => '')).trim().split('\n').at(-1);
          throw new Error(`the parent of ${name} has exited (${parent.exitCode}): ${last}; see ${log} (--keep)`);
        }
        // The process id is read after the response. Without a PID file it takes a search of all processes.
        if ((await fetchHealthStatus(url)) === 200 && (await findRunningBox(folder))?.pid !== other) break;
        await sleep(20);
      }
      return performance.now() - started;
    },
    begin(...words) {
      return spawn(process.execPath, [source, cli, ...words, '--dir', folder.root], {
        env: environment,
        stdio: 'ignore',
      });
    },
    async command(...words) {
      const ran = promisify(execFile)(process.execPath, [source, cli, ...words, '--dir', folder.root], {
        env: environment,
      });
      return ran.then(
        ({ stdout }) => ({ code: 0, output: stdout }),
        ({ code, stdout, stderr }) => ({ code, output: stdout + stderr }),
      );
    },
    async stop() {
      if (options.background) return (await box.command('stop', '--json')).code;
      const stopping = parent;
      parent = null;
      if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return stopping?.exitCode ?? null;
      const ended = once(stopping, 'exit');
      stopping.kill('SIGTERM');
      const [status] = await ended;
      return status;
    },
    async start() {
      if (options.background) await box.command('start', '--json');
      else run();
      await box.untilServes();
    },
  };
  stage.atEnd(name, async () => {
    const ended = await Promise.race([box.stop().then(() => true), sleep(stopTimeout, false, { ref: false })]);
    if (!ended) throw new Error(`it did not stop within ${stopTimeout / 1000} s`);
  });
  await box.start();
  return box;
}

/** Lays the folder out as the installer does, with links to the source tree in place of pulled packages. */
async function layOut(folder: BoxFolder, options: RigBoxOptions): Promise<void> {
  const { port, databaseUrl, environment = {}, preload } = options;
  const target = releaseFolder(folder, release);
  const packages: Record<string, string> = {
    ...Object.fromEntries(packagesOfTier('enterprise').map((name) => [name, join(root, 'node_modules', name)])),
    ...options.packages,
  };
  const program = releaseEntry(folder, release);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(
    join(packageFolder(target, runtimePackage), 'package.json'),
    JSON.stringify({ type: 'module', [vendor]: { handover: 1, workers: 1 } }),
  );
  const modules = [...(preload ? [preload] : []), pathToFileURL(join(root, 'runtime/main.ts'))];
  await writeFile(program, modules.map((address) => `await import('${address}');\n`).join(''));
  const check = [source, join(root, 'runtime/check-settings.ts')];
  await writeFile(
    join(dirname(program), 'check-settings.js'),
    `import { spawnSync } from 'node:child_process';
spawnSync(process.execPath, ${JSON.stringify(check)}, { stdio: 'inherit' });
`,
  );
  for (const [name, place] of Object.entries(packages)) await symlink(place, join(target, 'node_modules', name));
  const lock = { tier: 'enterprise', packages: Object.fromEntries(Object.keys(packages).map((name) => [name, {}])) };
  await writeFile(join(target, lockFileName), JSON.stringify(lock));
  await switchCurrent(folder, release);
  await writeSettings(
    folder,
    { controlPlaneUrl: '', registryUrl: '', host: '127.0.0.1', port, tier: 'enterprise', customerId: 'rig' },
    {
      LICENSE_KEY: '',
      OPERATOR_SECRET: secrets.operatorSecret,
      HOSTING_SECRET: secrets.hostingSecret,
      DATABASE_URL: databaseUrl,
    },
  );
  const more = {
    NODE_OPTIONS: source,
    LOG_LEVEL: 'warn',
    WORKERS: '1',
    // All shoppers of a rig have one address, and rate limits are not what it tests.
    ...Object.fromEntries(['READ', 'WRITE', 'CHECKOUT', 'LOGIN'].map((name) => [`RATE_LIMIT_${name}`, '0'])),
    ...environment,
  };
  const lines = Object.entries(more).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(folder.secrets, lines.join(''), { flag: 'a' });
}
