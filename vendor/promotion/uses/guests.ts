/**
 * A guest's uses of promotions become those of the member who verifies the e-mail address, as the orders do.
 */
import type { EmailProofStep } from '@carton/runtime';
import { addUses, assignUses, deleteUnused, subtractUses } from './customer-store.ts';

/**
 * Counts the uses under the address for the member, in the transaction that assigns the orders. The sum may exceed a
 * limit per customer, which applies to later orders only. Uses of an order that is being placed stay with the address,
 * like that order. A canceled order returns its use to whom it is counted for, so uses are locked before counts here,
 * as when an order is canceled.
 */
export const moveUses: EmailProofStep = async (tx, { memberId, email }) => {
  const guestKey = email.toLowerCase();
  const moved = await assignUses(tx, guestKey, memberId);
  if (moved.length === 0) return;
  await addUses(tx, memberId, moved);
  await subtractUses(tx, guestKey, moved);
  await deleteUnused(tx, guestKey);
};
