/**
 * Finding and deleting old invoices.
 */
import type { TenantDatabase } from '@carton/runtime';

/**
 * The time before which invoices are deleted; `$2`: years, `$3`: the time zone of the store. A year has ended once it
 * has in that zone and in UTC, by which the database rejects deletions: no invoice is deleted too early.
 */
const cutoff = `
  least(date_trunc('year', now()) - $2 * interval '1 year',
        (date_trunc('year', now() at time zone $3) - $2 * interval '1 year') at time zone $3)`;

/** An invoice that is old, and without newer credit notes: an invoice stays as long as the last that corrects it. */
const isOld = `
  invoices.tenant_id = $1 and invoices.kind = 'invoice' and invoices.created_at < ${cutoff}
  and not exists (
    select from invoices note
     where note.tenant_id = $1 and note.order_id = invoices.order_id and note.invoice_id = invoices.id
       and note.created_at >= ${cutoff})`;

/** For how many years after that of its issue an invoice is kept, in a time zone. */
interface Retention {
  years: number;
  timeZone: string;
}

interface Found {
  id: string;
  orderId: string;
}

/** The oldest invoices that are old. Locks their balances, so that no credit note is issued meanwhile. */
export function lockOld(tx: TenantDatabase, { years, timeZone }: Retention, limit: number): Promise<Found[]> {
  return tx.query<Found>(
    `select invoices.id, invoices.order_id
       from invoices
       join invoice_balances on invoice_balances.tenant_id = $1 and invoice_balances.invoice_id = invoices.id
      where ${isOld}
      order by invoices.created_at, invoices.id limit $4
        for update of invoice_balances skip locked`,
    [years, timeZone, limit],
  );
}

/** Those of the locked ones for which no credit note was issued before the lock. */
export function stillOld(
  tx: TenantDatabase,
  { years, timeZone }: Retention,
  locked: readonly Found[],
): Promise<Found[]> {
  return tx.query<Found>(`select id, order_id from invoices where ${isOld} and invoices.id = any($4::uuid[])`, [
    years,
    timeZone,
    locked.map(({ id }) => id),
  ]);
}

/** Deletes invoices with their balances and credit notes. */
export async function deleteInvoices(tx: TenantDatabase, invoices: readonly Found[]): Promise<void> {
  const ids = invoices.map(({ id }) => id);
  const orderIds = invoices.map(({ orderId }) => orderId);
  await tx.query('delete from invoice_balances where tenant_id = $1 and invoice_id = any($2::uuid[])', [ids]);
  await tx.query(
    `delete from invoices
      where tenant_id = $1 and order_id = any($2::uuid[]) and (id = any($3::uuid[]) or invoice_id = any($3::uuid[]))`,
    [orderIds, ids],
  );
}
