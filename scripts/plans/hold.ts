/**
 * What every list of every package reads over a large shop: for the test, and for the rig that makes it larger still.
 */
import type { TestBox } from '@carton/runtime/testing';
import { type Finding, holdPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import { fillShop } from './full-shop.ts';

/** Filters that may read more of a larger shop, each with the reason. */
const exempt: Record<string, string> = {
  'listAdminProducts q': 'a text that no title contains is looked for in each',
  'listProducts q': 'a text that no title contains is looked for in each',
};

export interface HeldPlans {
  /** What was found, as a table. */
  table: string[];
  /** Calls that read too much and are not exempt, and lists that could not be tried. */
  broken: string[];
  calls: number;
}

/** Fills two shops, copies the rows of one and calls all lists. */
export async function holdListPlans(box: TestBox, copies: number, say: (text: string) => void): Promise<HeldPlans> {
  const other = await box.openShop();
  for (const shop of [box, other]) await fillShop(box, shop);
  const result = await holdPlans(box, { shop: box, copies, say });
  const isExempt = ({ operationId, query }: Finding) =>
    Object.keys(query).some((name) => `${operationId} ${name}` in exempt);
  const failing = result.findings.filter((finding) => finding.fails && !isExempt(finding));
  return {
    table: [...tableOf(result), ...Object.entries(exempt).map(([filter, why]) => `exempt: ${filter}: ${why}`)],
    broken: [...failing.map(lineOf), ...result.untried],
    calls: result.findings.length,
  };
}
