/**
 * The cluster of a test file: its databases are made there. A file ends with a word where there is no Citus.
 */
import t from 'tap';
import { type Cluster, startCluster, whyNoCitus } from '../cluster.ts';

/** Starts three nodes, which are stopped with the file. */
export async function startTestCluster(): Promise<Cluster> {
  const missing = whyNoCitus();
  if (missing) {
    t.plan(0, missing);
    process.exit(0);
  }
  const cluster = await startCluster({ settings: { fsync: 'off', synchronous_commit: 'off' } });
  t.teardown(() => cluster.stop());
  process.env.TEST_DATABASE_URL = cluster.coordinator.url();
  return cluster;
}
