/**
 * Measures what every list of every package reads from a large store; shared by a test and a rig.
 */
import type { TestBox } from '@carton/runtime/testing';
import { checkPlans, lineOf, tableOf } from '@carton/runtime/testing/plans';
import { fillTenant } from './full-tenant.ts';

export interface ListPlanFindings {
  /** The findings as a table. */
  table: string[];
  /** Calls that read too much, and lists that could not be called. */
  broken: string[];
  calls: number;
}

/** Fills two tenants, copies the rows of one and calls all lists. */
export async function checkListPlans(
  box: TestBox,
  copies: number,
  say: (text: string) => void,
): Promise<ListPlanFindings> {
  const other = await box.openTenant();
  for (const tenant of [box, other]) await fillTenant(box, tenant);
  const result = await checkPlans(box, { tenant: box, copies, say });
  const failing = result.findings.filter(({ fails }) => fails);
  return {
    table: tableOf(result),
    broken: [...failing.map(lineOf), ...result.untested],
    calls: result.findings.length,
  };
}
