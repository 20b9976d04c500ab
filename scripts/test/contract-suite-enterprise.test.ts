/**
 * The contract suite for all packages in one box: each route is compared with its declaration, and two tenants with the
 * same handles, numbers and keys are isolated from each other.
 */
import { createMember } from '@carton/member/testing';
import { createTestBox } from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import t from 'tap';

const box = await createTestBox(t);
const result = await checkContract(await boxTarget(box, (task) => t.teardown(task), { createMember }));
for (const line of summaryOf(result)) t.comment(line);
t.strictSame(result.failures, []);
t.equal(result.routes, box.box.routes.length, 'every mounted route was called');
t.notOk(
  result.untested.some((line) => /lacks/.test(line)),
  'each permission was tested with a caller who lacks it',
);
const share = result.succeeded.length / result.routes;
t.ok(share > 0.7, `${Math.round(share * 100)} % of the operations succeeded`);
