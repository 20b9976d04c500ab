/**
 * A Citus cluster on this machine: a coordinator and workers, each a server of its own, with their data in a folder that
 * is removed when they are stopped.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPostgres, administerAt as run } from '@carton/runtime/testing';
import { host, initServer, type Server, version } from './server.ts';

/** Settings that a node requires (docs/scale.md has the reasons). */
export const nodeSettings: Record<string, string> = {
  shared_preload_libraries: 'citus',
  'citus.propagate_set_commands': 'local',
  max_prepared_transactions: '200',
  // Moves a tenant's rows to another node while they change.
  wal_level: 'logical',
};

/** What to do about the missing extension; false if it is installed. */
export function missingCitus(): string | false {
  const server = installedPostgres('initdb').find((each) => each.version === String(version));
  if (server && existsSync(join(server.programs, '../lib/citus.so'))) return false;
  return `Citus is not installed for PostgreSQL ${version}: build it as root with tools/citus/build`;
}

export interface Cluster {
  coordinator: Server;
  workers: Server[];
  /** Starts another worker and adds it to the cluster. It has no rows until the cluster is rebalanced. */
  addWorker(): Promise<Server>;
  /** Stops all servers and removes their data. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** Folder of the data, which the caller removes; by default a temporary one that is removed with the cluster. */
  folder?: string;
  workers?: number;
  /** Settings of postgresql.conf for every node, in addition to the required ones. */
  settings?: Record<string, string>;
}

/** Starts a cluster in the database `postgres`. @throws Error if the extension is not installed */
export async function startCluster({
  folder: ownFolder,
  workers: count = 2,
  settings = {},
}: ClusterOptions = {}): Promise<Cluster> {
  const missing = missingCitus();
  if (missing) throw new Error(missing);
  const folder = ownFolder ?? (await mkdtemp(join(tmpdir(), 'citus-')));
  await chmod(folder, 0o711);
  const servers: Server[] = [];
  const startNode = async (name: string) => {
    const server = await initServer(folder, name, { ...nodeSettings, ...settings });
    servers.push(server);
    await server.start();
    return server;
  };
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
    if (!ownFolder) await rm(folder, { recursive: true, force: true });
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
