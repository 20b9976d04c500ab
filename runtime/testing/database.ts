/**
 * A database for one test file, created from the migrated template if the run has one, else empty, and dropped after
 * it. If the administration database is a Citus coordinator, the database is created on all nodes, and empty, since a
 * template would contain the tables of one node only.
 */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { useSharedServer } from './shared-server.ts';

/** The URL of a database whose user may create others; `npm test` sets it for the run, others start a server. */
export function administrationUrl(): string {
  if (!process.env.TEST_DATABASE_URL) useSharedServer();
  return process.env.TEST_DATABASE_URL as string;
}

/** Runs statements sequentially on the administration database. */
export async function administer(...statements: string[]): Promise<void> {
  await administerAt(administrationUrl(), ...statements);
}

/** Runs statements sequentially on a database and returns the rows of the last. */
export async function administerAt(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** The URL of another database on the same server, or on another node with the same user. */
export function urlOfDatabase(name: string, node?: Node): string {
  return databaseOn(administrationUrl(), name, node);
}

/** The URL of a database beside that of another URL. */
export function databaseOn(url: string, name: string, node?: Node): string {
  const [, user = '', host, query = ''] = /^postgres(?:ql)?:\/\/([^/]*@)?([^/]*)\/[^?]*(\?.*)?$/.exec(
    url,
  ) as RegExpExecArray;
  return `postgres://${user}${node ? `${node.host}:${node.port}` : host}/${name}${query}`;
}

interface Node {
  host: string;
  port: number;
  coordinator: boolean;
}

/** The nodes of Citus, the coordinator first; empty if the administration database is not distributed. */
async function nodesOfCitus(): Promise<Node[]> {
  const [found] = await administerAt(administrationUrl(), `select to_regclass('pg_dist_node') is not null as is_citus`);
  if (!found?.is_citus) return [];
  const rows = await administerAt(
    administrationUrl(),
    `select nodename as host, nodeport as port, groupid = 0 as coordinator from pg_dist_node order by groupid`,
  );
  return rows as unknown as Node[];
}

/** Few, since every table is created once for each shard. */
const shardCount = 4;

async function createOnNodes(name: string, nodes: readonly Node[]): Promise<TestDatabase> {
  for (const node of nodes) {
    await administerAt(urlOfDatabase('postgres', node), `create database ${name}`);
    await administerAt(
      urlOfDatabase(name, node),
      'create extension citus',
      `alter database ${name} set citus.shard_count = ${shardCount}`,
    );
  }
  const joining = nodes.map(({ host, port, coordinator }) =>
    coordinator ? `select citus_set_coordinator_host('${host}', ${port})` : `select citus_add_node('${host}', ${port})`,
  );
  await administerAt(urlOfDatabase(name), ...joining);
  const drop = async () => {
    for (const node of nodes) {
      await administerAt(urlOfDatabase('postgres', node), `drop database if exists ${name} with (force)`);
    }
  };
  return { url: urlOfDatabase(name), drop };
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** Creates a database. @param from `template` for one with the tables of all packages, if the run has a template */
export async function createTestDatabase(from: 'template' | 'empty' = 'template'): Promise<TestDatabase> {
  // By the name of the template, the run finds what is left of its databases.
  const name = `${process.env.TEST_TEMPLATE ?? 'test'}_${randomBytes(6).toString('hex')}`;
  const nodes = await nodesOfCitus();
  if (nodes.length > 0) return createOnNodes(name, nodes);
  const template = from === 'template' ? process.env.TEST_TEMPLATE : undefined;
  await administer(`create database ${name}${template ? ` template ${template}` : ''}`);
  return { url: urlOfDatabase(name), drop: () => administer(`drop database if exists ${name} with (force)`) };
}
