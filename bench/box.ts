/**
 * The box that is measured: a process of its own on a PostgreSQL of its own, embedded and durable, with one shop in it.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase, startEmbeddedPostgres } from '@carton/runtime/service';
import { packagesOfTier, sourceRoot, temporaryFolder } from '@carton/runtime/testing';
import { heapOptions } from '../installer/box/heap.ts';
import { type LoadTenant, openTenantAt } from '../tools/load/tenant.ts';

/** A statement as it was sent, with its values. */
export interface Statement {
  text: string;
  values: unknown[];
}

export interface MeasuredBox {
  url: string;
  /** What a request makes the box send to the database. */
  statementsOf(request: () => Promise<unknown>): Promise<Statement[]>;
  /** The largest part of its memory that was ever in use (its resident set), in bytes. */
  peakMemory(): Promise<number>;
  /** Work while the box stands still, so that nothing it does in the background is measured with it. */
  frozen<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

const secrets = { operatorSecret: randomBytes(24).toString('hex'), hostingSecret: randomBytes(24).toString('hex') };

/** Work beside a PostgreSQL in a folder of its own; both are gone afterwards. */
export async function withPostgres<T>(
  work: (postgres: { url: string; folder: string; database: ReturnType<typeof openDatabase> }) => Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder('bench-');
  const postgres = await startEmbeddedPostgres({ directory: join(folder, 'postgresql') });
  const database = openDatabase({ url: postgres.url });
  try {
    return await work({ url: postgres.url, folder, database });
  } finally {
    await database.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

export interface MeasuredPackages {
  packages: readonly string[];
  packagesFrom: string;
}

const basic: MeasuredPackages = { packages: packagesOfTier('basic'), packagesFrom: sourceRoot };

/** Starts a box on a database: of the basic tier, unless other packages are given. */
export async function startBox(databaseUrl: string, packages = basic): Promise<MeasuredBox> {
  const about = JSON.stringify({ databaseUrl, ...secrets, ...packages });
  // With the heap that the installer gives a box.
  const { child, url } = await start('./box-process.ts', [about], heapOptions().split(' '));
  return {
    url,
    async statementsOf(request) {
      child.send('keep');
      await once(child, 'message');
      await request();
      child.send('kept');
      const [{ statements }] = await once(child, 'message');
      return statements;
    },
    async peakMemory() {
      child.send('memory');
      const [{ peakMemory }] = await once(child, 'message');
      return peakMemory;
    },
    async frozen(work) {
      child.kill('SIGSTOP');
      try {
        return await work();
      } finally {
        child.kill('SIGCONT');
      }
    },
    stop: () => child.kill(),
  };
}

/** Starts a program beside this one that tells its address. */
export function startServer(program: string, ...parameters: string[]): Promise<{ child: ChildProcess; url: string }> {
  return start(program, parameters, []);
}

async function start(program: string, parameters: string[], options: string[]) {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), parameters, {
    execArgv: ['--conditions=workspace-source', ...options],
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${program} ended before it told its address`);
  });
  const [{ url }] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return { child, url };
}

/** Opens a shop with so many products for sale, one variant each, and plenty of each. */
export function openTenant(url: string, products: number): Promise<LoadTenant> {
  return openTenantAt(url, { secrets, slug: 'bench', products, stock: 1_000_000 });
}
