/**
 * Orders as personal data: guest orders claimed by verified members, export and erasure. Erasure keeps the order itself,
 * because the law requires a record of the sale.
 */
import type { PersonalData } from '@carton/runtime';
import { deleteLinks } from './links/store.ts';
import { eraseAddresses, eraseProperties, eraseShopper, findUnfulfilled, ordersOf } from './persons-store.ts';
import { orderOf } from './present.ts';
import { rewriteWords } from './search/words-store.ts';
import { orders } from './store.ts';
import { eraseMessages, findEntries } from './timeline/store.ts';
import { erasedMessages, impersonalTypes } from './timeline/types.ts';

const keysOf = (emails: readonly string[]) => emails.map((email) => email.toLowerCase());

const untilErased =
  'with your name until you ask for erasure, then without it until ten years after the year of the order';

export const personalOrders: PersonalData = {
  name: 'orders',
  keeps: [
    {
      table: 'orders',
      columns: [
        'email',
        'email_key',
        'customer_name',
        'phone',
        'tax_number',
        'tax_number_check',
        'notes',
        'session_hash',
        'metadata',
        'attribution',
      ],
      reason: 'To deliver your order and to handle complaints; tax law requires a record of the sale.',
      kept: untilErased,
    },
    {
      table: 'order_words',
      columns: ['word_from', 'word'],
      reason: 'To find your order by your name or e-mail address.',
      kept: 'until you ask for erasure',
    },
    {
      table: 'order_addresses',
      columns: ['address'],
      reason: 'To deliver your order; tax law requires a record of the destination country.',
      kept: untilErased,
    },
    {
      table: 'order_links',
      columns: ['number', 'email_key'],
      reason: 'To send you a link to your order.',
      kept: 'until the link expires, after a day',
    },
    {
      table: 'order_line_items',
      columns: ['properties'],
      reason: 'To make items to your specification.',
      kept: untilErased,
    },
    {
      table: 'order_events',
      columns: ['message', 'actor_label'],
      reason: 'To keep track of what was agreed about your order.',
      kept: untilErased,
    },
  ],
  async find(db, subject) {
    const found = await ordersOf(db, { memberId: subject.memberId, emailKeys: keysOf(subject.emails) });
    const ids = found.map(({ id }) => id);
    const entries = await findEntries(db, ids, { exceptTypes: impersonalTypes(db) });
    return {
      records: { order: ids, order_event: entries },
      sessions: found.flatMap(({ sessionHash }) => sessionHash ?? []),
    };
  },
  async exportData(db, { records }) {
    const found = await orders.findInOrder(db, records.order ?? []);
    return found.length === 0
      ? null
      : found.map((row) => ({ ...orderOf(row), sessionHash: undefined, cartId: undefined, wasPlaced: undefined }));
  },
  async erasureObstacles(db, { records }) {
    const open = await findUnfulfilled(db, records.order ?? []);
    return open.map(({ number, isPending }) =>
      isPending
        ? `Order ${number} waits for its payment. Cancel it first.`
        : `Order ${number} is not fulfilled. Fulfill or cancel it first.`,
    );
  },
  async erase(tx, { emails, records }) {
    const ids = records.order ?? [];
    await deleteLinks(tx, { orderIds: ids, emailKeys: keysOf(emails) });
    await eraseShopper(tx, ids);
    await rewriteWords(tx, ids);
    await eraseAddresses(tx, ids);
    await eraseProperties(tx, ids);
    await eraseMessages(tx, ids, { by: erasedMessages(tx), exceptTypes: impersonalTypes(tx) });
  },
};
