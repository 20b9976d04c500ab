/**
 * A box as a partner has it: a folder laid out as the installer does, run by `start --foreground`, whose supervision
 * brings it back. Only its program is the source tree's, so that a rig needs no build.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import { type BoxFolder, boxFolder, releaseEntry, releaseFolder } from '../installer/box/folder.ts';
import { askHealth } from '../installer/box/health.ts';
import { findRunningBox } from '../installer/box/running.ts';
import { writeSettings } from '../installer/box/settings.ts';
import { packageFolder, switchCurrent } from '../installer/release/layout.ts';
import { lockFileName, runtimePackage } from '../installer/vendor.ts';
import type { Stage } from './rig.ts';

const root = dirname(sourceRoot);
const cli = fileURLToPath(new URL('../installer/cli.ts', import.meta.url));
const source = '--conditions=workspace-source';
const release = 'source';
/** Milliseconds in which a box stops by itself: it drains, and lets what is under way end. */
const longestStop = 40_000;

/** Of every box of a rig. */
export const secrets = {
  operatorSecret: randomBytes(24).toString('hex'),
  hostingSecret: randomBytes(24).toString('hex'),
};

export interface RigBoxOptions {
  name: string;
  port: number;
  /** A PostgreSQL that runs elsewhere; else the embedded one runs with the box. */
  databaseUrl?: string;
  /** Packages of the rig's own beside those of the highest tier: their folders by full name. */
  packages?: Record<string, string>;
  /** More of its environment. */
  environment?: Record<string, string>;
}

export interface RigBox {
  name: string;
  url: string;
  port: number;
  /** Folder of its embedded PostgreSQL. */
  databaseFolder: string;
  /** Its own output. */
  log: string;
  /** Number of its process. @throws Error when it does not run */
  pid(): Promise<number>;
  /** Ends the process as a power cut would; answers its number. */
  kill(): Promise<number>;
  /** Waits until another process than that one answers 200; answers how many milliseconds that took. */
  untilServes(other?: number): Promise<number>;
  /** SIGTERM to its supervision, as `systemctl stop` sends it; resolves with the exit status. */
  stop(): Promise<number | null>;
  /** Starts it again after a stop; resolves once it serves. */
  start(): Promise<void>;
}

/** Starts a box and waits until it serves; it is stopped with the stage. */
export async function startRigBox(stage: Stage, options: RigBoxOptions): Promise<RigBox> {
  const { name, port } = options;
  const folder = boxFolder(join(stage.folder, name));
  await layOut(folder, options);
  const url = `http://127.0.0.1:${port}`;
  const log = join(stage.folder, `${name}.log`);
  let parent: ChildProcess | null = null;

  const run = () => {
    const output = openSync(log, 'a');
    parent = spawn(process.execPath, [source, cli, 'start', '--foreground', '--json', '--dir', folder.root], {
      env: { PATH: process.env.PATH, HOME: folder.root },
      stdio: ['ignore', output, output],
      // Ctrl-C in a terminal reaches the rig alone, which stops its boxes before their database.
      detached: true,
    });
    closeSync(output);
  };
  const box: RigBox = {
    name,
    url,
    port,
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
      const begun = performance.now();
      for (;;) {
        stage.signal.throwIfAborted();
        if (parent?.exitCode != null) throw new Error(`the supervision of ${name} has ended: see ${log} (--keep)`);
        // The number is looked at after the answer, and costs a look at every process where there is none.
        if ((await askHealth(url)) === 200 && (await findRunningBox(folder))?.pid !== other) break;
        await sleep(20);
      }
      return performance.now() - begun;
    },
    async stop() {
      const stopping = parent;
      parent = null;
      if (!stopping || stopping.exitCode !== null || stopping.signalCode !== null) return stopping?.exitCode ?? null;
      const ended = once(stopping, 'exit');
      stopping.kill('SIGTERM');
      const [status] = await ended;
      return status;
    },
    async start() {
      run();
      await box.untilServes();
    },
  };
  stage.atEnd(name, async () => {
    const ended = await Promise.race([box.stop().then(() => true), sleep(longestStop, false, { ref: false })]);
    if (!ended) throw new Error(`it did not stop within ${longestStop / 1000} s`);
  });
  await box.start();
  return box;
}

/** The folder as the installer leaves it, with links to the source tree in place of what it would pull. */
async function layOut(folder: BoxFolder, options: RigBoxOptions): Promise<void> {
  const { port, databaseUrl, environment = {} } = options;
  const here = releaseFolder(folder, release);
  const packages: Record<string, string> = {
    ...Object.fromEntries(packagesOfTier('enterprise').map((name) => [name, join(root, 'node_modules', name)])),
    ...options.packages,
  };
  const program = releaseEntry(folder, release);
  await mkdir(dirname(program), { recursive: true });
  await writeFile(join(packageFolder(here, runtimePackage), 'package.json'), '{ "type": "module" }\n');
  await writeFile(program, `await import('${pathToFileURL(join(root, 'runtime/main.ts'))}');\n`);
  for (const [name, target] of Object.entries(packages)) await symlink(target, join(here, 'node_modules', name));
  const lock = { tier: 'enterprise', packages: Object.fromEntries(Object.keys(packages).map((name) => [name, {}])) };
  await writeFile(join(here, lockFileName), JSON.stringify(lock));
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
    // A rig's shoppers all come from one address, and are to try the shop, not its limits.
    ...Object.fromEntries(['READ', 'WRITE', 'CHECKOUT', 'LOGIN'].map((name) => [`RATE_LIMIT_${name}`, '0'])),
    ...environment,
  };
  const lines = Object.entries(more).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(folder.secrets, lines.join(''), { flag: 'a' });
}
