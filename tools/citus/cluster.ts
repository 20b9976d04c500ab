/**
 * A Citus cluster on this machine: a coordinator and its workers, each a server of its own, with their data in a folder
 * that goes when they are stopped.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administerAt as run } from '@carton/runtime/testing';
import { host, makeServer, type Server, version } from './server.ts';

/** What a node needs beside PostgreSQL's own settings (docs/scale.md says why). */
export const nodeSettings: Record<string, string> = {
  shared_preload_libraries: 'citus',
  'citus.propagate_set_commands': 'local',
  max_prepared_transactions: '200',
  // A tenant's rows move to another node while they change.
  wal_level: 'logical',
};

/** What to do where there is no extension; null where there is. */
export function whyNoCitus(): string | null {
  if (existsSync(`/usr/lib/postgresql/${version}/lib/citus.so`)) return null;
  return `no Citus for PostgreSQL ${version} on this machine: build it as root with tools/citus/build`;
}

export interface Cluster {
  coordinator: Server;
  workers: Server[];
  /** Starts one more worker and makes it known; no row is on it before it is rebalanced. */
  addWorker(): Promise<Server>;
  /** Stops all servers and removes their data. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Where the data goes, for whoever removes it; a folder that goes with the cluster unless given. */
  folder?: string;
  workers?: number;
  /** Settings of postgresql.conf for every node, over those of a node. */
  settings?: Record<string, string>;
}

/** Starts a cluster whose nodes know each other in the database `postgres`. @throws Error where there is no extension */
export async function startCluster({
  folder: given,
  workers: count = 2,
  settings = {},
}: ClusterOptions = {}): Promise<Cluster> {
  const missing = whyNoCitus();
  if (missing) throw new Error(missing);
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'citus-')));
  await chmod(folder, 0o711);
  const servers: Server[] = [];
  const startNode = async (name: string) => {
    const server = await makeServer(folder, name, { ...nodeSettings, ...settings });
    servers.push(server);
    await server.start();
    return server;
  };
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    if (!given) await rm(folder, { recursive: true, force: true });
  };
  try {
    const coordinator = await startNode('coordinator');
    const workers: Server[] = [];
    const addWorker = async () => {
      const worker = await startNode(`worker-${workers.length + 1}`);
      workers.push(worker);
      await run(worker.url(), 'create extension citus');
      await run(coordinator.url(), `select citus_add_node('${host}', ${worker.port})`);
      return worker;
    };
    await run(
      coordinator.url(),
      'create extension citus',
      `select citus_set_coordinator_host('${host}', ${coordinator.port})`,
    );
    while (workers.length < count) await addWorker();
    return { coordinator, workers, addWorker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
