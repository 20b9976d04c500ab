/**
 * Uses of promotions as personal data.
 */
import type { PersonalData, Subject } from '@carton/runtime';

const keysOf = ({ memberId, emails }: Subject) => [
  ...(memberId === null ? [] : [memberId]),
  ...emails.map((email) => email.toLowerCase()),
];

const reason = 'To apply the limits of promotions for each customer.';
const belongsToSubject = '(customer_key = any($2::text[]) or order_id = any($3::uuid[]))';

export const personalUses: PersonalData = {
  name: 'promotions',
  keeps: [
    { table: 'promotion_usages', columns: ['customer_key'], reason, kept: 'until you ask for erasure' },
    { table: 'promotion_customers', columns: ['customer_key'], reason, kept: 'until you ask for erasure' },
  ],
  async exportData(db, subject) {
    const uses = await db.query(
      `select usages.order_id, usages.code, promotions.label, usages.amount, usages.currency, usages.created_at
         from promotion_usages usages
         join promotions on promotions.tenant_id = $1 and promotions.id = usages.promotion_id
        where usages.tenant_id = $1 and ${belongsToSubject} order by usages.id`,
      [keysOf(subject), subject.records.order ?? []],
    );
    return uses.length === 0 ? null : uses;
  },
  async erase(tx, subject) {
    const values = [keysOf(subject), subject.records.order ?? []];
    await tx.query(
      `delete from promotion_customers
        where tenant_id = $1
          and customer_key in (select unnest($2::text[])
                               union select customer_key from promotion_usages
                                      where tenant_id = $1 and order_id = any($3::uuid[]))`,
      values,
    );
    await tx.query(
      `update promotion_usages set customer_key = null where tenant_id = $1 and ${belongsToSubject}`,
      values,
    );
  },
};
