/**
 * Every list of every package, with each of its filters and sorts, over a tenant with tens of thousands of rows: what
 * is read for a page is what the page needs, planned as the box's own role, to whom row-level security applies.
 */
import { createTestBox } from '@carton/runtime/testing';
import { type Finding, holdPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import t from 'tap';
import { fillShop } from './support/full-shop.ts';

t.setTimeout(600_000);

/** What reads more than a page of a larger tenant, and why it may. */
const exempt: Record<string, string> = {
  'listAdminProducts q': 'a text that no title contains is looked for in each',
  'listProducts q': 'a text that no title contains is looked for in each',
  'listStockItems low': 'what is low is known from the levels of each item',
  'listEventDeliveries subscriber': 'deliveries are kept for days only',
  'listEventDeliveries type': 'deliveries are kept for days only, and the type stands with the event',
};

const box = await createTestBox(t);
const other = await box.openShop();
for (const shop of [box, other]) await fillShop(box, shop);
const result = await holdPlans(box, { shop: box, copies: 1200, say: (text) => t.comment(text) });
for (const line of tableOf(result)) t.comment(line);
const isExempt = ({ operationId, query }: Finding) =>
  Object.keys(query).some((name) => `${operationId} ${name}` in exempt);
t.strictSame(
  result.findings.filter((finding) => finding.fails && !isExempt(finding)).map(lineOf),
  [],
  'no list reads more for a larger tenant',
);
t.strictSame(result.untried, []);
