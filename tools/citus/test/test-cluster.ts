/**
 * The cluster of a test file, in which its databases are created. Without the extension the file is skipped.
 */
import t from 'tap';
import { type Cluster, missingCitusReason, startCluster } from '../cluster.ts';

/** Starts three nodes, and stops them at the end of the file. */
export async function startTestCluster(): Promise<Cluster> {
  const missing = missingCitusReason();
  if (missing) {
    t.plan(0, missing);
    process.exit(0);
  }
  const cluster = await startCluster({ settings: { fsync: 'off', synchronous_commit: 'off' } });
  t.teardown(() => cluster.stop());
  process.env.TEST_DATABASE_URL = cluster.coordinator.url();
  return cluster;
}
