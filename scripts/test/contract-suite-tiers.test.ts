/**
 * The contract suite for the lower tiers: packages work without those of higher tiers.
 */
import { createMember } from '@carton/member/testing';
import { createTestBox } from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import t from 'tap';

t.setTimeout(900_000);

for (const tier of ['basic', 'growth'] as const) {
  t.test(tier, async (t) => {
    const box = await createTestBox(t, { tier });
    const target = await boxTarget(box, (task) => t.teardown(task), { createMember });
    const result = await checkContract(target, { quick: true });
    for (const line of summaryOf(result)) t.comment(line);
    t.strictSame(result.failures, []);
    t.equal(result.routes, box.box.routes.length);
  });
}
