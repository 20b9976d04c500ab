/**
 * The measured box: a process of its own with one tenant, on an embedded PostgreSQL server of its own with durable writes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase, startEmbeddedPostgres } from '@carton/runtime/service';
import { packagesOfTier, sourceRoot, temporaryFolder } from '@carton/runtime/testing';
import type * as Heap from '../installer/box/heap.ts';
import { type LoadTenant, openTenantAt } from '../tools/load/tenant.ts';

/** A statement with its values. */
export interface Statement {
  text: string;
  values: unknown[];
  /** Number of the round trip to the database in which it was sent, from 1. */
  roundTrip?: number;
}

export interface MeasuredBox {
  url: string;
  /** Returns the statements that the box sends to the database for a request. */
  statementsOf(request: () => Promise<unknown>): Promise<Statement[]>;
  /** Returns its peak resident memory in bytes. */
  peakMemory(): Promise<number>;
  /** Pauses the process during the work, so that its background work is not part of the measurement. */
  whilePaused<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

export const secrets = {
  operatorSecret: randomBytes(24).toString('hex'),
  hostingSecret: randomBytes(24).toString('hex'),
};

/** Runs the work with a PostgreSQL server in a temporary folder; stops the one and removes the other afterwards. */
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

/**
 * Starts a box, by default with the packages of the basic tier.
 * @param options.dataFolder for the files that packages store; by default one that remains
 * @param root of the source tree whose box it is; by default this one
 */
export async function startBox(
  databaseUrl: string,
  options: Partial<MeasuredPackages & { dataFolder: string }> = {},
  root = join(sourceRoot, '..'),
): Promise<MeasuredBox> {
  const about = JSON.stringify({ databaseUrl, ...secrets, ...basic, ...options });
  // With the heap limits that the installer of that tree sets.
  const heap: typeof Heap = await import(join(root, 'installer', 'box', 'heap.ts'));
  const program = join(root, 'bench', 'box-process.ts');
  const { child, url } = await start(program, [about], heap.heapOptions().split(' '));
  return {
    url,
    async statementsOf(request) {
      child.send('record');
      await once(child, 'message');
      await request();
      child.send('stop');
      const [{ statements }] = await once(child, 'message');
      return statements;
    },
    async peakMemory() {
      child.send('memory');
      const [{ peakMemory }] = await once(child, 'message');
      return peakMemory;
    },
    async whilePaused(work) {
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

/** Starts a program of this folder, which sends its address. */
export function startServer(program: string, ...parameters: string[]): Promise<{ child: ChildProcess; url: string }> {
  return start(fileURLToPath(new URL(program, import.meta.url)), parameters, []);
}

async function start(program: string, parameters: string[], options: string[]) {
  const child = fork(program, parameters, {
    execArgv: ['--conditions=workspace-source', ...options],
    // JSON would make objects of the bytes that are values of statements.
    serialization: 'advanced',
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${program} exited before it sent its address`);
  });
  const [{ url }] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  return { child, url };
}

/** Creates a tenant with products for sale, one variant each, and more stock than any measurement sells. */
export function openTenant(url: string, products: number): Promise<LoadTenant> {
  return openTenantAt(url, { secrets, slug: 'bench', products, stock: 1_000_000 });
}
