/**
 * Uses of promotions as personal data.
 */
import type { PersonalData, Subject } from '@carton/runtime';
import { deleteCounts, detachUses, exportUses } from './customer-store.ts';

const keysOf = ({ memberId, emails }: Subject) => [
  ...(memberId === null ? [] : [memberId]),
  ...emails.map((email) => email.toLowerCase()),
];

const reason = 'To apply the limits of promotions for each customer.';
const ownersOf = (subject: Subject) => ({ keys: keysOf(subject), orderIds: subject.records.order ?? [] });

export const personalUses: PersonalData = {
  name: 'promotions',
  keeps: [
    { table: 'promotion_usages', columns: ['customer_key'], reason, kept: 'until you ask for erasure' },
    { table: 'promotion_customers', columns: ['customer_key'], reason, kept: 'until you ask for erasure' },
  ],
  async exportData(db, subject) {
    const uses = await exportUses(db, ownersOf(subject));
    return uses.length === 0 ? null : uses;
  },
  async erase(tx, subject) {
    const owners = ownersOf(subject);
    await deleteCounts(tx, owners);
    await detachUses(tx, owners);
  },
};
