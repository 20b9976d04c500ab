/**
 * What every list of every package reads over a large shop: for the test, and for the rig that makes it larger still.
 */
import type { TestBox } from '@carton/runtime/testing';
import { holdPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import { fillShop } from './full-shop.ts';

export interface HeldPlans {
  /** What was found, as a table. */
  table: string[];
  /** Calls that read too much, and lists that could not be tried. */
  broken: string[];
  calls: number;
}

/** Fills two shops, copies the rows of one and calls all lists. */
export async function holdListPlans(box: TestBox, copies: number, say: (text: string) => void): Promise<HeldPlans> {
  const other = await box.openShop();
  for (const shop of [box, other]) await fillShop(box, shop);
  const result = await holdPlans(box, { shop: box, copies, say });
  const failing = result.findings.filter(({ fails }) => fails);
  return {
    table: tableOf(result),
    broken: [...failing.map(lineOf), ...result.untried],
    calls: result.findings.length,
  };
}
