/**
 * Every list of every package, with each of its filters and sorts, over a shop with thousands of everything: what is
 * read for a page is what the page needs, planned as the box's own role, to whom row-level security applies.
 */
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { checkListPlans } from '../../tools/plans/check.ts';

t.setTimeout(900_000);

const box = await createTestBox(t);
const { table, broken } = await checkListPlans(box, 1200, (text) => t.comment(text));
for (const line of table) t.comment(line);
t.strictSame(broken, [], 'no list reads more for a larger shop');
