/**
 * The database as it stands when somebody asks: the pool's connections, whether it answers, and the migrations.
 */
import type { Knex } from 'knex';
import { type Migration, migrationState } from '../../db/migrations.ts';
import { family, type MetricFamily, type Sample } from './family.ts';

/** Longer than a database that is well takes; well within the time that whoever asks waits (10 s is usual). */
const patienceMilliseconds = 2000;

/** Answers what the reading does, or undefined when it fails or takes too long. */
async function readInTime<T>(reading: Promise<T>, milliseconds = patienceMilliseconds): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return Promise.race([reading.catch(() => undefined), late]).finally(() => clearTimeout(timer));
}

/** The pools of a service by their names. */
export function poolFamilies(pools: ReadonlyMap<string, Knex>): MetricFamily[] {
  const of = (read: (pool: Pool) => readonly Sample[]) => () =>
    [...pools].flatMap(([name, knex]) =>
      read(knex.client.pool).map(({ value, labels }) => ({ value, labels: { pool: name, ...labels } })),
    );
  return [
    family({
      name: 'database_connections',
      type: 'gauge',
      help: 'Connections of the pool that are open: working (`in_use`) or waiting for work (`idle`)',
      labels: ['pool', 'state'],
      read: of((pool) => [
        { value: pool.numUsed(), labels: { state: 'in_use' } },
        { value: pool.numFree(), labels: { state: 'idle' } },
      ]),
    }),
    family({
      name: 'database_connections_max',
      type: 'gauge',
      help: 'Most connections that the pool opens (of `requests`: `DATABASE_POOL_SIZE`)',
      labels: ['pool'],
      read: of(({ max }) => [{ value: max }]),
    }),
    family({
      name: 'database_requests_waiting',
      type: 'gauge',
      help: 'Pieces of work that wait for a connection of the pool',
      labels: ['pool'],
      read: of((pool) => [{ value: pool.numPendingAcquires() }]),
    }),
  ];
}

/** What knex's pool tells of itself. */
interface Pool {
  max: number;
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

/** @param migrations those of the packages that are mounted */
export function migrationFamilies(knex: Knex, migrations: readonly Migration[]): MetricFamily[] {
  // Two families read it: whoever is second within a second shares what the first was told.
  const read = shared(() => readInTime(migrationState(knex, migrations)), 1000);
  return [
    family({
      name: 'database_up',
      type: 'gauge',
      help: '1 when the database answered within 2 seconds of being asked for these metrics, else 0',
      read: async () => [{ value: (await read()) ? 1 : 0 }],
    }),
    family({
      name: 'migrations',
      type: 'gauge',
      help: 'Migrations of the mounted packages that are `applied` or `pending`, and `orphaned` ones of packages that are no longer there; none while the database is away',
      labels: ['state'],
      read: async () => countsOf(await read()),
    }),
  ];
}

function countsOf(state: Awaited<ReturnType<typeof migrationState>> | undefined): Sample[] {
  return Object.entries(state ?? {}).map(([name, list]) => ({ value: list.length, labels: { state: name } }));
}

function shared<T>(read: () => Promise<T>, milliseconds: number): () => Promise<T> {
  let kept: { answer: Promise<T>; until: number } | undefined;
  return () => {
    const now = performance.now();
    if (!kept || kept.until <= now) kept = { answer: read(), until: now + milliseconds };
    return kept.answer;
  };
}
