/**
 * Queries of the tables of invoices.
 */
import { json, newId, rows, type TenantDatabase } from '@carton/runtime';
import type { ContentLine, InvoiceContent, InvoiceKind } from './content.ts';

/** An invoice or a credit note. Amounts are minor units. */
export interface InvoiceRow {
  id: string;
  kind: InvoiceKind;
  /** The prefix of its number. */
  series: string;
  /** Its number in the series. */
  sequence: number;
  number: string;
  orderId: string;
  /** Of a credit note: the invoice that it corrects. */
  invoiceId: string | null;
  /** Of a credit note: the refund that led to it. */
  refundId: string | null;
  currency: string;
  netAmount: number;
  taxAmount: number;
  /** Credits and the rounding: the total less the gross amount. */
  creditAmount: number;
  totalAmount: number;
  content: InvoiceContent;
  /** When it was issued. */
  createdAt: string;
  updatedAt: string;
  /** The sum of the credit notes of an invoice; zero for a credit note. */
  creditedAmount: number;
}

export const invoices = rows<InvoiceRow>({
  table: 'invoices',
  noun: 'invoice',
  computed: {
    creditedAmount: `
      coalesce((select credited_amount from invoice_balances
                 where invoice_balances.tenant_id = invoices.tenant_id and invoice_balances.invoice_id = invoices.id), 0)`,
  },
  filters: {
    issuedFrom: (listed, from: string) => listed.whereRaw('invoices.created_at >= ?::timestamptz', [from]),
    issuedTo: (listed, to: string) => listed.whereRaw('invoices.created_at < ?::timestamptz', [to]),
  },
});

/** The invoices of an order and their credit notes, in the order of issue. */
export function invoicesOfOrder(db: TenantDatabase, orderId: string): Promise<InvoiceRow[]> {
  return db.query<InvoiceRow>(
    `select invoices.*, coalesce(credited_amount, 0) as credited_amount
       from invoices
       left join invoice_balances on invoice_balances.tenant_id = $1 and invoice_balances.invoice_id = invoices.id
      where invoices.tenant_id = $1 and invoices.order_id = $2 order by invoices.created_at, invoices.id`,
    [orderId],
  );
}

/** Ids of the invoices of orders and of their credit notes. */
export async function idsOfOrders(db: TenantDatabase, orderIds: readonly string[]): Promise<string[]> {
  const found = await db.query<{ id: string }>(
    'select id from invoices where tenant_id = $1 and order_id = any($2::uuid[])',
    [orderIds],
  );
  return found.map(({ id }) => id);
}

/** Id of the order's own invoice if it is not credited in full; null if there is none. */
export async function findOpenInvoice(db: TenantDatabase, orderId: string): Promise<string | null> {
  const [row] = await db.query<{ invoiceId: string }>(
    'select invoice_id from invoice_balances where tenant_id = $1 and order_id = $2 and open',
    [orderId],
  );
  return row?.invoiceId ?? null;
}

/** The lines of the credit notes of an invoice. */
export async function creditedLines(db: TenantDatabase, orderId: string, invoiceId: string): Promise<ContentLine[]> {
  const found = await invoicesOfOrder(db, orderId);
  return found.filter((row) => row.invoiceId === invoiceId).flatMap(({ content }) => content.lines);
}

/**
 * Draws the next number of a series, and locks the series until the transaction ends: concurrent invoices of a store wait
 * for each other, and one that is rolled back leaves no gap. Call it last in a transaction.
 */
export async function drawSequence(
  tx: TenantDatabase,
  series: string,
): Promise<{ sequence: number; issuedAt: Date | string }> {
  const [row] = await tx.query<{ sequence: number; issuedAt: Date | string }>(
    `insert into invoice_series (tenant_id, series, last_sequence) values ($1, $2, 1)
     on conflict (tenant_id, series) do update set last_sequence = invoice_series.last_sequence + 1
     returning last_sequence as sequence, clock_timestamp()::timestamptz(3) as issued_at`,
    [series],
  );
  return row as { sequence: number; issuedAt: Date | string };
}

export type NewInvoice = Omit<InvoiceRow, 'createdAt' | 'updatedAt' | 'creditedAmount' | 'id'> & {
  createdAt: Date | string;
};

/** Inserts an invoice or a credit note; returns its id. */
export async function insertInvoice(tx: TenantDatabase, { content, ...invoice }: NewInvoice): Promise<string> {
  const id = newId();
  await tx.insert('invoices', { id, ...invoice, content: json(content) });
  return id;
}

/** @param balance `open` for the order's invoice, of which there is one; false for that of charges added later */
export async function insertBalance(
  tx: TenantDatabase,
  balance: { invoiceId: string; orderId: string; totalAmount: number; open: boolean },
): Promise<void> {
  await tx.insert('invoice_balances', balance);
}

/** Adds a credit note to the balance of its invoice. False, without effect, if less is left. */
export async function addCredit(tx: TenantDatabase, invoiceId: string, amount: number): Promise<boolean> {
  const credited = await tx.query(
    `update invoice_balances
        set credited_amount = credited_amount + $3, open = open and credited_amount + $3 < total_amount
      where tenant_id = $1 and invoice_id = $2 and credited_amount + $3 <= total_amount returning invoice_id`,
    [invoiceId, amount],
  );
  return credited.length > 0;
}
