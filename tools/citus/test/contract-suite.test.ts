/**
 * The contract suite against a box whose database is a Citus cluster of three nodes. It draws fewer requests than the
 * suite's own test: enough to run every statement.
 */
import { createMember } from '@carton/member/testing';
import { createTestBox } from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import t from 'tap';
import { missingCitus } from '../cluster.ts';
import { startTestCluster } from './test-cluster.ts';

t.test('a box keeps its promises on Citus', { skip: missingCitus() }, async (t) => {
  await startTestCluster(t);
  const box = await createTestBox(t);
  const result = await checkContract(await boxTarget(box, (task) => t.teardown(task), { createMember }), { runs: 4 });
  for (const line of summaryOf(result)) t.comment(line);
  t.strictSame(result.failures, []);
  t.equal(result.routes, box.box.routes.length, 'every mounted route was called');
});
