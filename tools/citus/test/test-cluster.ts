/**
 * The cluster of a test file, in which its databases are created.
 */
import type { Test } from 'tap';
import { type Cluster, startCluster } from '../cluster.ts';

/** Starts three nodes, and stops them with the test. */
export async function startTestCluster(t: Test): Promise<Cluster> {
  const cluster = await startCluster({ settings: { fsync: 'off', synchronous_commit: 'off' } });
  t.teardown(() => cluster.stop());
  process.env.TEST_DATABASE_URL = cluster.coordinator.url();
  return cluster;
}
