/**
 * Orders and the person who placed them: a guest's orders are claimed once the address is proved, and what an order
 * tells of somebody is told to them and erased. The order itself stays: the law asks for its record.
 */
import type { PersonalData, ProvedEmail, Subject, TenantDatabase } from '@carton/runtime';
import { orderOf } from './present.ts';
import { orders } from './store.ts';

/** Theirs are a member's, and a guest's under a proved address; one of another member never is. */
const theirs = `
  (orders.member_id = $2 or (orders.member_id is null and orders.email_key = any($3::text[])))`;

const values = ({ memberId, emails }: Pick<Subject, 'memberId' | 'emails'>) => [
  memberId,
  emails.map((email) => email.toLowerCase()),
];

const untilErased = 'ten years after the year of the order without your name, and with it until you ask for erasure';

/** Reserved for what is no address (RFC 2606, section 2). */
const noEmail = 'erased@erased.invalid';

export const personalOrders: PersonalData = {
  name: 'orders',
  keeps: [
    {
      table: 'orders',
      columns: ['email', 'email_key', 'customer_name', 'phone', 'notes', 'session_hash', 'metadata'],
      reason: 'To deliver what you ordered and to answer for it; tax law asks for the record of the sale.',
      kept: untilErased,
    },
    {
      table: 'order_addresses',
      columns: ['address'],
      reason: 'To deliver what you ordered; tax law asks for the country it went to.',
      kept: untilErased,
    },
    {
      table: 'order_line_items',
      columns: ['properties'],
      reason: 'To make what you ordered as you wanted it.',
      kept: untilErased,
    },
    {
      table: 'order_events',
      columns: ['message', 'actor_label'],
      reason: 'To know what was agreed about your order.',
      kept: untilErased,
    },
  ],
  async find(db, subject) {
    const orders = await db.query<{ id: string; sessionHash: string | null }>(
      `select id, session_hash from orders where tenant_id = $1 and ${theirs}`,
      values(subject),
    );
    const ids = orders.map(({ id }) => id);
    const entries = await db.query<{ id: string }>(
      `select id from order_events where tenant_id = $1 and order_id = any($2::uuid[]) and type = 'note'`,
      [ids],
    );
    return {
      records: { order: ids, order_event: entries.map(({ id }) => id) },
      sessions: orders.flatMap(({ sessionHash }) => sessionHash ?? []),
    };
  },
  async tell(db, { records }) {
    const told = await orders.findInOrder(db, records.order ?? []);
    return told.length === 0 ? null : told.map((row) => ({ ...orderOf(row), sessionHash: undefined }));
  },
  async hinders(db, { records }) {
    const open = await db.query<{ number: string }>(
      `select number from orders
        where tenant_id = $1 and id = any($2::uuid[]) and status = 'placed' and fulfillment_status <> 'fulfilled'
        order by number`,
      [records.order ?? []],
    );
    return open.map(({ number }) => `Order ${number} is not delivered: deliver or cancel it first.`);
  },
  async erase(tx, { records }) {
    const ids = records.order ?? [];
    await tx.query(
      `update orders
          set email = $3, customer_name = null, phone = null, notes = null, session_hash = null, metadata = '{}',
              updated_at = now()
        where tenant_id = $1 and id = any($2::uuid[])`,
      [ids, noEmail],
    );
    // Of an address the country stays, and the province, by which taxes are told.
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
          set message = case when type = 'note' then 'Erased' else message end,
              actor_label = case when actor_type = 'shopper' then null else actor_label end
        where tenant_id = $1 and order_id = any($2::uuid[])`,
      [ids],
    );
  },
};

/** What was ordered as a guest under an address belongs to the member who has proved it. An order has one owner. */
export async function claimOrders(tx: TenantDatabase, { memberId, email }: ProvedEmail): Promise<void> {
  await tx.query(
    `update orders set member_id = $2, updated_at = now()
      where tenant_id = $1 and member_id is null and email_key = $3`,
    [memberId, email.toLowerCase()],
  );
}
