/**
 * Starting a migrated box as a partner has it (built packages, their database elsewhere) until `GET /health` answers
 * 200, beside a bare server of Koa and pg that answers after one query; in turn, several rounds. Prints what memory the
 * idle box takes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@carton/runtime/testing';
import { extract } from 'tar';
import { inTurn, type Measurement } from '../tools/load/measurement.ts';
import { type BuiltPackage, buildPackages } from '../tools/packages/index.ts';
import { withPostgres } from './box.ts';

const rounds = 7;
const settleSeconds = 5;

/** Lays the packages out as the installer does; answers the box's program. */
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

/** Starts a program and asks it until it answers 200. */
async function start(program: string, environment: Record<string, string>): Promise<Started> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error', ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return { milliseconds: performance.now() - begun, child };
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}`);
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
    const measured = await inTurn(
      'start',
      rounds,
      {
        what: 'a migrated box, until /health answers 200',
        unit: 'ms',
        // Round 0 migrates the database.
        async measure(round) {
          const box = await start(program, environment);
          if (round === rounds) {
            await sleep(settleSeconds * 1000);
            memory = await memoryOf(box);
          }
          await stop(box);
          return box.milliseconds;
        },
      },
      {
        what: 'a bare server of Koa and pg',
        unit: 'ms',
        async measure() {
          const peer = await start(bare, environment);
          await stop(peer);
          return peer.milliseconds;
        },
      },
    );
    console.log(`an idle box with ${packages.length} packages takes ${memory.toFixed(0)} MiB`);
    return measured;
  });
}
