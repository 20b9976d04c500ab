/**
 * Every list of every package, with each of its filters and sorts, over a tenant with tens of thousands of rows: what
 * is read for a page is what the page needs, planned as the box's own role, to whom row-level security applies.
 */
import { createTestBox } from '@carton/runtime/testing';
import { holdPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import t from 'tap';
import { fillShop } from './support/full-shop.ts';

t.setTimeout(600_000);

const box = await createTestBox(t);
const other = await box.openShop();
for (const shop of [box, other]) await fillShop(box, shop);
const result = await holdPlans(box, { shop: box, copies: 5000, say: (text) => t.comment(text) });
for (const line of tableOf(result)) t.comment(line);
t.strictSame(result.findings.filter(({ fails }) => fails).map(lineOf), [], 'no list reads more for a larger tenant');
t.strictSame(result.untried, []);
