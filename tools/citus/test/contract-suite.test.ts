/**
 * Every route of every package held against its declaration, as on one machine, in a box whose database is three nodes
 * of Citus. The suite's own test draws more requests; what is drawn here is what a statement could break on.
 */
import { createTestBox } from '@carton/runtime/testing';
import { boxTarget, holdContract, summaryOf } from '@carton/runtime/testing/contract';
import t from 'tap';
import { startTestCluster } from './test-cluster.ts';

t.setTimeout(1_800_000);
await startTestCluster();

const box = await createTestBox(t);
const result = await holdContract(await boxTarget(box, (task) => t.teardown(task)), { runs: 4 });
for (const line of summaryOf(result)) t.comment(line);
t.strictSame(result.failures, []);
t.equal(result.routes, box.box.routes.length, 'every mounted route was walked');
