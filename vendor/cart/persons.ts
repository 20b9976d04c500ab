/**
 * Carts as personal data: merging a guest's cart at log-in, export and erasure.
 */
import type { PersonalData, Subject, TenantDatabase } from '@carton/runtime';
import { mergeCarts } from './guests/merging.ts';

/** Carts of the member, of guests under a verified e-mail address, and of sessions that placed the subject's orders. */
const belongsToSubject = `
  (carts.member_id = $2
   or (carts.member_id is null and (lower(carts.email) = any($3::text[]) or carts.order_id = any($4::uuid[])))
   or (carts.status = 'active' and carts.session_hash = any($5::text[])))`;

const values = ({ memberId, emails, records, sessions }: Subject) => [
  memberId,
  emails.map((email) => email.toLowerCase()),
  records.order ?? [],
  sessions,
];

export const personalCarts: PersonalData = {
  name: 'carts',
  keeps: [
    {
      table: 'carts',
      columns: ['email', 'note', 'session_hash'],
      reason: 'To keep your cart between visits.',
      kept: 'until the cart is deleted, or you ask for it to be erased',
    },
    {
      table: 'cart_addresses',
      columns: ['name', 'company', 'line1', 'line2', 'city', 'province', 'postal_code', 'phone'],
      reason: 'To calculate delivery and taxes.',
      kept: 'until the cart is deleted, or you ask for it to be erased',
    },
    {
      table: 'cart_line_items',
      columns: ['properties', 'properties_key'],
      reason: 'To make items to your specification.',
      kept: 'until the cart becomes an order, or you ask for it to be erased',
    },
  ],
  async find(db, subject) {
    const carts = await db.query<{ sessionHash: string | null }>(
      `select session_hash from carts where tenant_id = $1 and ${belongsToSubject}`,
      values(subject),
    );
    return { sessions: carts.flatMap(({ sessionHash }) => sessionHash ?? []) };
  },
  async exportData(db, subject) {
    const carts = await db.query(
      `select status, email, note, created_at, updated_at,
              (select coalesce(json_agg(to_jsonb(addresses) - '{tenant_id,cart_id}'::text[]), '[]')
                 from cart_addresses addresses
                where addresses.tenant_id = $1 and addresses.cart_id = carts.id) as addresses,
              (select coalesce(json_agg(to_jsonb(lines) - '{tenant_id,cart_id}'::text[]), '[]')
                 from cart_line_items lines where lines.tenant_id = $1 and lines.cart_id = carts.id) as items
         from carts where tenant_id = $1 and ${belongsToSubject} order by carts.id`,
      values(subject),
    );
    return carts.length === 0 ? null : carts;
  },
  async erase(tx, subject) {
    const carts = await tx.query<{ id: string }>(
      `select id from carts where tenant_id = $1 and ${belongsToSubject} order by id for update`,
      values(subject),
    );
    await forget(
      tx,
      carts.map(({ id }) => id),
    );
  },
};

/** Keeps the cart's row for statistics; deletes its contents and personal data, and detaches it from its session. */
async function forget(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('delete from cart_line_items where tenant_id = $1 and cart_id = any($2::uuid[])', [ids]);
  await tx.query('delete from cart_addresses where tenant_id = $1 and cart_id = any($2::uuid[])', [ids]);
  await tx.query(
    `update carts
        set email = null, note = null, version = version + 1, updated_at = now(),
            session_hash = case when session_hash is not null then 'erased ' || id end
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids],
  );
}

/** Merges the guest's cart into the member's at log-in. */
export async function mergeCartAtLogIn(
  tx: TenantDatabase,
  { memberId, sessionHash }: { memberId: string; sessionHash: string | null },
): Promise<void> {
  await mergeCarts(tx, { hash: sessionHash }, memberId);
}
