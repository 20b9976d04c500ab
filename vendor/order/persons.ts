/**
 * Orders as personal data: guest orders claimed by verified members, export and erasure. Erasure keeps the order itself,
 * because the law requires a record of the sale.
 */
import type { PersonalData, ProvedEmail, Subject, TenantDatabase } from '@carton/runtime';
import { orderOf } from './present.ts';
import { rewriteWords } from './search/words-store.ts';
import { orders } from './store.ts';
import { erasedMessages, impersonalTypes } from './timeline/types.ts';

/** Orders of the member, and guest orders under a verified e-mail address; never those of another member. */
const belongsToSubject = `
  (orders.member_id = $2 or (orders.member_id is null and orders.email_key = any($3::text[])))`;

const values = ({ memberId, emails }: Pick<Subject, 'memberId' | 'emails'>) => [
  memberId,
  emails.map((email) => email.toLowerCase()),
];

const untilErased =
  'with your name until you ask for erasure, then without it until ten years after the year of the order';

/** In a reserved top-level domain that never resolves (RFC 2606, section 2). */
const erasedEmail = 'erased@erased.invalid';

export const personalOrders: PersonalData = {
  name: 'orders',
  keeps: [
    {
      table: 'orders',
      columns: ['email', 'email_key', 'customer_name', 'phone', 'notes', 'session_hash', 'metadata', 'attribution'],
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
    const orders = await db.query<{ id: string; sessionHash: string | null }>(
      `select id, session_hash from orders where tenant_id = $1 and ${belongsToSubject}`,
      values(subject),
    );
    const ids = orders.map(({ id }) => id);
    const entries = await db.query<{ id: string }>(
      'select id from order_events where tenant_id = $1 and order_id = any($2::uuid[]) and type <> all($3::text[])',
      [ids, impersonalTypes(db)],
    );
    return {
      records: { order: ids, order_event: entries.map(({ id }) => id) },
      sessions: orders.flatMap(({ sessionHash }) => sessionHash ?? []),
    };
  },
  async exportData(db, { records }) {
    const found = await orders.findInOrder(db, records.order ?? []);
    return found.length === 0
      ? null
      : found.map((row) => ({ ...orderOf(row), sessionHash: undefined, cartId: undefined, wasPlaced: undefined }));
  },
  async erasureObstacles(db, { records }) {
    const open = await db.query<{ number: string; isPending: boolean }>(
      `select number, pending_until is not null as is_pending from orders
        where tenant_id = $1 and id = any($2::uuid[]) and status = 'placed' and fulfillment_status <> 'fulfilled'
        order by number`,
      [records.order ?? []],
    );
    return open.map(({ number, isPending }) =>
      isPending
        ? `Order ${number} waits for its payment. Cancel it first.`
        : `Order ${number} is not fulfilled. Fulfill or cancel it first.`,
    );
  },
  async erase(tx, { emails, records }) {
    const ids = records.order ?? [];
    await tx.query(
      `delete from order_links
        where tenant_id = $1 and (order_id = any($2::uuid[]) or email_key = any($3::text[]))`,
      [ids, emails.map((email) => email.toLowerCase())],
    );
    await tx.query(
      `update orders
          set email = $3, customer_name = null, phone = null, notes = null, session_hash = null, metadata = '{}',
              attribution = null, updated_at = now()
        where tenant_id = $1 and id = any($2::uuid[])`,
      [ids, erasedEmail],
    );
    await rewriteWords(tx, ids);
    // Tax records need the country and its province. Without the code of a country, as in free text, nothing remains: it
    // could be anything.
    await tx.query(
      `delete from order_addresses
        where tenant_id = $1 and order_id = any($2::uuid[]) and coalesce(address ->> 'country', '') !~ '^[A-Z]{2}$'`,
      [ids],
    );
    await tx.query(
      `update order_addresses
          set address = jsonb_strip_nulls(jsonb_build_object(
                'country', address -> 'country', 'province', address -> 'province'))
        where tenant_id = $1 and order_id = any($2::uuid[])`,
      [ids],
    );
    await tx.query(
      `update order_line_items set properties = '{}' where tenant_id = $1 and order_id = any($2::uuid[])`,
      [ids],
    );
    await tx.query(
      `update order_events
          set message = case when type = any($4::text[]) then message else coalesce($3::jsonb ->> type, 'Erased') end,
              actor_label = case when actor_type = 'shopper' then null else actor_label end
        where tenant_id = $1 and order_id = any($2::uuid[])`,
      [ids, JSON.stringify(erasedMessages(tx)), impersonalTypes(tx)],
    );
  },
};

/** Assigns guest orders to the member who has verified their e-mail address. Orders of other members are unaffected. */
export async function claimOrders(tx: TenantDatabase, { memberId, email }: ProvedEmail): Promise<void> {
  await tx.query(
    `update orders set member_id = $2, updated_at = now()
      where tenant_id = $1 and member_id is null and email_key = $3`,
    [memberId, email.toLowerCase()],
  );
}
