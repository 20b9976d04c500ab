/**
 * Whether staff have exempted a member from taxes.
 */
import { memberTaxExemptions, type TenantDatabase } from '@carton/runtime';
import type { TaxExemption } from './step.ts';

/** In one statement; none for a guest. */
export const isExemptMember: TaxExemption = async (db: TenantDatabase, { memberId }) => {
  const conditions = memberTaxExemptions.of(db).map((sql) => sql('$2::uuid'));
  if (memberId === null || conditions.length === 0) return false;
  const [found] = await db.query<{ isExempt: boolean }>(
    `select $1::uuid is not null and (${conditions.join(' or ')}) as is_exempt`,
    [memberId],
  );
  return found?.isExempt ?? false;
};
