/**
 * Calls every list of every package with each filter and sort over a large store: a list reads only what its page needs,
 * also as the box's role, to which row-level security applies.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { checkListPlans } from '../../tools/plans/check.ts';

const box = await createTestBox(t);
const { table, broken } = await checkListPlans(box, { copies: 1200 }, (text) => t.comment(text));
for (const line of table) t.comment(line);
t.strictSame(broken, [], 'no list reads more in a larger store');
