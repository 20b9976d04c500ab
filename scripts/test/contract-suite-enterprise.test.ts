/**
 * The contract suite for all packages in one box: each route is compared with its declaration, and two tenants with the
 * same handles, numbers and keys are isolated from each other.
 */
import { createMember } from '@carton/member/testing';
import { createTestBox } from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import t from 'tap';

/** Beginnings of paths: of all routes, which have to be called to make what these refer to, only these are checked. */
const paths = process.env.CONTRACT_PATHS?.split(',') ?? [];

const box = await createTestBox(t);
const target = await boxTarget(box, (task) => t.teardown(task), { createMember });
const called = new Set(target.declarations);
const checked = new Set(target.declarations.filter(({ path }) => paths.some((each) => path.startsWith(each))));
const result = await checkContract(
  target,
  paths.length > 0 ? { only: { called, checked }, leaveOut: [], rounds: 9 } : {},
);
for (const line of summaryOf(result)) t.comment(line);
t.strictSame(result.failures, []);
t.equal(result.routes, box.box.routes.length, 'every mounted route was called');
if (paths.length > 0) t.ok(checked.size > 0, `${checked.size} routes were checked`);
t.notOk(
  result.untested.some((line) => /lacks/.test(line)),
  'each permission was tested with a caller who lacks it',
);
const share = result.succeeded.length / result.routes;
t.ok(share > 0.7, `${Math.round(share * 100)} % of the operations succeeded`);
