/**
 * Time from starting a migrated box as partners run it (built packages, a separate database) until `GET /health` is 200,
 * and the same for a bare Koa and pg server, in alternating rounds. Also prints the memory of the idle box.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@carton/runtime/testing';
import { extract } from 'tar';
import { type Measurement, measureAlternately } from '../tools/load/measurement.ts';
import { type BuiltPackage, buildPackages } from '../tools/packages/index.ts';
import { withPostgres } from './box.ts';

const rounds = 7;
const idleSeconds = 5;

/** Unpacks the packages as the installer does; returns the box's program. */
async function layOut(folder: string, packages: readonly BuiltPackage[]): Promise<string> {
  for (const { name, tarball } of packages) {
    const cwd = join(folder, 'node_modules', name);
    await mkdir(cwd, { recursive: true });
    await extract({ file: tarball, cwd, strip: 1 });
  }
  const entitled = packages.filter(({ tier }) => tier !== null);
  const lock = {
    tier: 'enterprise',
    packages: Object.fromEntries(entitled.map(({ name, version, integrity }) => [name, { version, integrity }])),
  };
  await writeFile(join(folder, 'carton.lock.json'), JSON.stringify(lock));
  return join(folder, 'node_modules/@carton/runtime/dist/main.js');
}

interface Started {
  milliseconds: number;
  child: ChildProcess;
}

/** Starts a program and polls /health until it is 200. */
async function start(program: string, environment: Record<string, string>): Promise<Started> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return { milliseconds: performance.now() - started, child };
    if (child.exitCode !== null) throw new Error(`${program} exited with ${child.exitCode}`);
    await sleep(5);
  }
}

async function stop({ child }: Started): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}

/** Resident memory of a process, in MiB. */
async function memoryOf({ child }: Started): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url, folder }) => {
    const packages = await buildPackages({ out: join(folder, 'packages') });
    const program = await layOut(join(folder, 'box'), packages);
    const bare = fileURLToPath(new URL('./start-peer.ts', import.meta.url));
    const environment = { DATABASE_URL: url, BOX_PACKAGES: join(folder, 'box/carton.lock.json'), BOX_HOME: folder };
    let memory = 0;
    const measured = await measureAlternately(
      'start',
      rounds,
      {
        what: 'a migrated box, until /health is 200',
        unit: 'ms',
        // Round 0 migrates the database.
        async measure(round) {
          const box = await start(program, environment);
          if (round === rounds) {
            await sleep(idleSeconds * 1000);
            memory = await memoryOf(box);
          }
          await stop(box);
          return box.milliseconds;
        },
      },
      {
        what: 'a bare Koa and pg server',
        unit: 'ms',
        async measure() {
          const peer = await start(bare, environment);
          await stop(peer);
          return peer.milliseconds;
        },
      },
    );
    console.log(`an idle box with ${packages.length} packages uses ${memory.toFixed(0)} MiB`);
    return measured;
  });
}
