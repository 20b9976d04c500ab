/**
 * Metrics of the database, read at the scrape: the pools' connections, the database's availability, and the migrations.
 */
import type { Knex } from 'knex';
import { type Migration, migrationState } from '../../db/migrations.ts';
import { family, type MetricFamily, type Sample } from './family.ts';

/** Longer than a healthy database takes, and well below the usual timeout of a scrape (10 s). */
const timeoutMilliseconds = 2000;

/** The value of a promise, or undefined when it is rejected or takes too long. */
export async function valueInTime<T>(promise: Promise<T>, milliseconds = timeoutMilliseconds): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return Promise.race([promise.catch(() => undefined), timeout]).finally(() => clearTimeout(timer));
}

/** @param pools the pools of a service by name */
export function poolFamilies(pools: ReadonlyMap<string, Knex>): MetricFamily[] {
  const of = (read: (pool: Pool) => readonly Sample[]) => () =>
    [...pools].flatMap(([name, knex]) =>
      read(knex.client.pool).map(({ value, labels }) => ({ value, labels: { pool: name, ...labels } })),
    );
  return [
    family({
      name: 'database_connections',
      type: 'gauge',
      help: 'Open connections of the pool: working (`in_use`) or waiting for work (`idle`)',
      labels: ['pool', 'state'],
      read: of((pool) => [
        { value: pool.numUsed(), labels: { state: 'in_use' } },
        { value: pool.numFree(), labels: { state: 'idle' } },
      ]),
    }),
    family({
      name: 'database_connections_max',
      type: 'gauge',
      help: 'Maximum number of connections of the pool (of `requests`: `DATABASE_POOL_SIZE`)',
      labels: ['pool'],
      read: of(({ max }) => [{ value: max }]),
    }),
    family({
      name: 'database_requests_waiting',
      type: 'gauge',
      help: 'Pieces of work waiting for a connection of the pool',
      labels: ['pool'],
      read: of((pool) => [{ value: pool.numPendingAcquires() }]),
    }),
  ];
}

/** The part of the interface of knex's pool that is used here. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** @param migrations those of the packages that are mounted */
export function migrationFamilies(knex: Knex, migrations: readonly Migration[]): MetricFamily[] {
  // Two metrics read the state: within a second the second one uses the cached value.
  const read = cached(() => valueInTime(migrationState(knex, migrations)), 1000);
  return [
    family({
      name: 'database_up',
      type: 'gauge',
      help: '1 if the database responded within 2 seconds of the scrape, else 0',
      ofAll: 'min',
      read: async () => [{ value: (await read()) ? 1 : 0 }],
    }),
    family({
      name: 'migrations',
      type: 'gauge',
      help: 'Migrations of the mounted packages, `applied` or `pending`, and `orphaned` ones of packages that are no longer mounted; no samples while the database is unavailable',
      labels: ['state'],
      ofAll: 'max',
      read: async () => countsOf(await read()),
    }),
  ];
}

function countsOf(state: Awaited<ReturnType<typeof migrationState>> | undefined): Sample[] {
  return Object.entries(state ?? {}).map(([name, list]) => ({ value: list.length, labels: { state: name } }));
}

function cached<T>(read: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let entry: { value: Promise<T>; expires: number } | undefined;
  return () => {
    const now = performance.now();
    if (!entry || entry.expires <= now) entry = { value: read(), expires: now + milliseconds };
    return entry.value;
  };
}
