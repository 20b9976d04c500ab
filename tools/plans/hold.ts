/**
 * What every list of every package reads over a large shop: for the test, and for the rig that makes it larger still.
 */
import type { TestBox } from '@carton/runtime/testing';
import { holdPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import { fillTenant } from './full-tenant.ts';

export interface HeldPlans {
  /** What was found, as a table. */
  table: string[];
  /** Calls that read too much, and lists that could not be tried. */
  broken: string[];
  calls: number;
}

/** Fills two shops, copies the rows of one and calls all lists. */
export async function holdListPlans(box: TestBox, copies: number, say: (text: string) => void): Promise<HeldPlans> {
  const other = await box.openTenant();
  for (const tenant of [box, other]) await fillTenant(box, tenant);
  const result = await holdPlans(box, { tenant: box, copies, say });
  const failing = result.findings.filter(({ fails }) => fails);
  return {
    table: tableOf(result),
    broken: [...failing.map(lineOf), ...result.untried],
    calls: result.findings.length,
  };
}
