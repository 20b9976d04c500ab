/**
 * `GET /products` and a guest's complete flow on a box with two workers, and on one with one worker, in alternating rounds
 * on one PostgreSQL server. On a machine with two cores, which workers, PostgreSQL and clients share, this says what a
 * second worker costs; the processor time of each request, which it also prints, says what more cores bring.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, packagesOfTier, sourceRoot } from '@carton/runtime/testing';
import pg from 'pg';
import { fetchHealthStatus, privateUrl } from '../installer/box/health.ts';
import { heapOptions, memoryOfMachine } from '../installer/box/heap.ts';
import { bindPublicSocket } from '../installer/box/public-socket.ts';
import { orderAsGuest, prepareFlow } from '../tools/load/flow.ts';
import { repeat } from '../tools/load/load.ts';
import { type Measurement, measureAlternately, median, rounded } from '../tools/load/measurement.ts';
import { type LoadTenant, openTenantAt } from '../tools/load/tenant.ts';
import { withPostgres } from './box.ts';
import { readProducts } from './products.ts';

const rounds = 7;
const requestsPerRound = 6000;
const ordersPerRound = 300;
const flowClients = 8;
const main = fileURLToPath(new URL('../runtime/main.ts', import.meta.url));
const secrets = { operatorSecret: randomBytes(24).toString('hex'), hostingSecret: randomBytes(24).toString('hex') };
/** Of the kernel's clock, in which processor time is counted (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

interface WorkersBox {
  url: string;
  tenant: LoadTenant;
  workers: ChildProcess[];
}

/** Starts a box as its supervisor does. */
async function startBox(folder: string, databaseUrl: string, count: number): Promise<WorkersBox> {
  const home = join(folder, `box-${count}`);
  await mkdir(join(home, 'run'), { recursive: true });
  const lockFile = join(home, 'lock.json');
  // Beside the packages, which are found from there.
  const packages = packagesOfTier('basic').map((name) => [name, {}]);
  await writeFile(lockFile, JSON.stringify({ tier: 'basic', packages: Object.fromEntries(packages) }));
  const socket = await bindPublicSocket('127.0.0.1', await freePort());
  const workers: ChildProcess[] = [];
  for (let number = 1; number <= count; number++) {
    const privatePath = join(home, 'run', `${number}.sock`);
    const worker = spawn(process.execPath, ['--conditions=workspace-source', main], {
      cwd: home,
      env: {
        PATH: process.env.PATH,
        NODE_OPTIONS: heapOptions(memoryOfMachine() / count),
        BOX_HOME: home,
        BOX_PACKAGES: lockFile,
        DATABASE_URL: databaseUrl,
        OPERATOR_SECRET: secrets.operatorSecret,
        HOSTING_SECRET: secrets.hostingSecret,
        LOG_LEVEL: 'warn',
        // All clients have one address.
        RATE_LIMIT_READ: '100000000',
        RATE_LIMIT_WRITE: '100000000',
        RATE_LIMIT_CHECKOUT: '100000000',
        RATE_LIMIT_LOGIN: '100000000',
        SUPERVISOR_PRIVATE_PATH: privatePath,
        ...(count > 1 && {
          SUPERVISOR_WORKER: `${number}/${count}`,
          SUPERVISOR_WORKERS_PATH: join(home, 'run', 'workers.sock'),
        }),
      },
      stdio: ['ignore', 'ignore', 'inherit', socket.descriptor, 'ipc'],
    });
    workers.push(worker);
    while ((await fetchHealthStatus(privateUrl(privatePath))) !== 200) {
      if (worker.exitCode !== null) throw new Error(`a worker exited with ${worker.exitCode}`);
      await sleep(20);
    }
    worker.send('serve');
    await once(worker, 'message');
  }
  const url = `http://127.0.0.1:${socket.port}`;
  const tenant = await openTenantAt(url, { secrets, slug: 'bench', products: 12, stock: 1_000_000 });
  await prepareFlow(url, tenant);
  return { url, tenant, workers };
}

/** Seconds of processor time that a process has used, with its children that have ended. */
function secondsOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
}

/** Seconds of processor time of a PostgreSQL server. */
function secondsOfPostgres(postmaster: number): number {
  const children = readdirSync('/proc').filter((name) => {
    try {
      return (
        /^\d+$/.test(name) && new RegExp(`\\) \\S ${postmaster} `).test(readFileSync(`/proc/${name}/stat`, 'utf8'))
      );
    } catch {
      return false; // it has ended
    }
  });
  return [postmaster, ...children.map(Number)].reduce((sum, pid) => sum + secondsOf(pid), 0);
}

/** What one unit of work took of the processors, in milliseconds, and how it was spread over the workers. */
interface Cost {
  box: number;
  postgres: number;
  clients: number;
  /** The part of the worker that did the least, of all, in per cent. */
  least: number;
}

async function costing(
  { workers }: WorkersBox,
  postmaster: number,
  units: number,
  work: () => Promise<number>,
): Promise<{ rate: number; cost: Cost }> {
  const read = () => ({
    workers: workers.map(({ pid }) => secondsOf(pid as number)),
    postgres: secondsOfPostgres(postmaster),
    clients: secondsOf(process.pid),
  });
  const before = read();
  const rate = await work();
  const after = read();
  const used = after.workers.map((seconds, index) => seconds - (before.workers[index] as number));
  const box = used.reduce((sum, seconds) => sum + seconds, 0);
  const each = (seconds: number) => (seconds * 1000) / units;
  return {
    rate,
    cost: {
      box: each(box),
      postgres: each(after.postgres - before.postgres),
      clients: each(after.clients - before.clients),
      least: (Math.min(...used) / box) * 100,
    },
  };
}

export function measure(): Promise<Measurement & { flow: Measurement }> {
  return withPostgres(async ({ url, folder }) => {
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    const boxes: WorkersBox[] = [];
    const end = () => {
      for (const { workers } of boxes) for (const worker of workers) worker.kill();
    };
    try {
      await server.query('create database second');
      const { rows } = await server.query<{ line: string }>(
        "select (regexp_split_to_array(pg_read_file('postmaster.pid'), '\\n'))[1] as line",
      );
      const postmaster = Number(rows[0]?.line);
      const second = new URL(url);
      second.pathname = '/second';
      // Packages are found from the folder of the sources.
      const places = join(sourceRoot, '..', 'node_modules');
      await symlink(places, join(folder, 'node_modules'));
      const [two, one] = [await startBox(folder, url, 2), await startBox(folder, String(second), 1)];
      boxes.push(two, one);
      const compare = async (
        name: string,
        what: string,
        unit: string,
        units: number,
        work: (box: WorkersBox) => Promise<number>,
      ) => {
        const costs = new Map<WorkersBox, Cost[]>([two, one].map((box) => [box, []]));
        const side = (box: WorkersBox) => ({
          what: `${what}, WORKERS=${box.workers.length}`,
          unit,
          digits: 1,
          async measure(round: number) {
            const { rate, cost } = await costing(box, postmaster, units, () => work(box));
            if (round > 0) costs.get(box)?.push(cost);
            return rate;
          },
        });
        const measured = await measureAlternately(name, rounds, side(two), side(one));
        for (const box of [two, one]) {
          const of = (key: keyof Cost) => rounded(median((costs.get(box) ?? []).map((cost) => cost[key])), 2);
          console.log(
            `${name}, WORKERS=${box.workers.length}: processor time of each, in ms: box ${of('box')}, ` +
              `PostgreSQL ${of('postgres')}, clients ${of('clients')}; the least busy worker did ${of('least')} %`,
          );
        }
        return measured;
      };
      const products = await compare('workers', 'GET /products, 16 clients', 'requests/s', requestsPerRound, (box) =>
        readProducts(box.url, requestsPerRound),
      );
      const flow = await compare('flow', "a guest's flow, 8 clients", 'orders/s', ordersPerRound, async (box) => {
        const options = { url: box.url, clients: flowClients, times: ordersPerRound };
        const seconds = await repeat(options, (send) => orderAsGuest(box.url, box.tenant, send));
        return ordersPerRound / seconds;
      });
      return { ...products, flow };
    } finally {
      end();
      await server.end();
    }
  });
}
