/**
 * Compares what a box has recorded for each order: payments, the ledger of refunds, invoices and credit notes, parcels.
 */
import type { Reader } from './postgres.ts';

/** Amounts are minor units. */
interface OrderRecords {
  id: string;
  status: string;
  total: number;
  paid: number;
  refunded: number;
  /** The part of `refunded` that was received beyond the total. */
  excess: number;
  /** What disputes have taken. */
  disputed: number;
  /** Of its payments. */
  captured: number;
  returned: number;
  taken: number;
  /** Succeeded refunds. */
  ledger: number;
  /** Without those of charges that were added later. */
  invoices: number;
  invoiced: number;
  credited: number;
}

const ordersText = `
  select id, status, total_amount::float8 as total, paid_amount::float8 as paid, refunded_amount::float8 as refunded,
         excess_refunded_amount::float8 as excess, disputed_amount::float8 as disputed,
         (select coalesce(sum(disputed_amount), 0)::float8 from payments
           where payments.tenant_id = $1 and payments.order_id = orders.id) as taken,
         (select coalesce(sum(captured_amount), 0)::float8 from payments
           where payments.tenant_id = $1 and payments.order_id = orders.id) as captured,
         (select coalesce(sum(refunded_amount), 0)::float8 from payments
           where payments.tenant_id = $1 and payments.order_id = orders.id) as returned,
         (select coalesce(sum(refunds.amount), 0)::float8 from refunds
            join payment_transactions step
              on step.tenant_id = $1 and step.payment_id = refunds.payment_id and step.id = refunds.id
           where refunds.tenant_id = $1 and refunds.order_id = orders.id and step.status = 'succeeded') as ledger,
         (select count(*)::integer from invoices
           where invoices.tenant_id = $1 and invoices.order_id = orders.id and kind = 'invoice'
             and content ->> 'addsTo' is null) as invoices,
         (select coalesce(sum(total_amount), 0)::float8 from invoices
           where invoices.tenant_id = $1 and invoices.order_id = orders.id and kind = 'invoice') as invoiced,
         (select coalesce(sum(total_amount), 0)::float8 from invoices
           where invoices.tenant_id = $1 and invoices.order_id = orders.id and kind = 'credit_note') as credited
    from orders where tenant_id = $1`;

const seriesText = `
  select invoice_series.series, last_sequence::float8 as last, count(invoices.id)::float8 as count,
         coalesce(max(sequence), 0)::float8 as highest
    from invoice_series
    left join invoices on invoices.tenant_id = $1 and invoices.series = invoice_series.series
   where invoice_series.tenant_id = $1 group by invoice_series.series, last_sequence`;

/** Lines with more units in parcels than were ordered, and parcels of canceled orders. */
const parcelsText = `
  select line.order_id as "orderId", sum(packed.quantity)::integer as packed, line.quantity, orders.status
    from order_line_items line
    join orders on orders.tenant_id = $1 and orders.id = line.order_id
    join fulfillment_items packed on packed.tenant_id = $1 and packed.line_item_id = line.id
    join fulfillments parcel
      on parcel.tenant_id = $1 and parcel.id = packed.fulfillment_id and parcel.status <> 'canceled'
   where line.tenant_id = $1
   group by line.order_id, line.id, line.quantity, orders.status
  having sum(packed.quantity) > line.quantity or orders.status = 'canceled'`;

/** The faults of an order's amounts, in words. */
function faultsOf(order: OrderRecords): string[] {
  const { status, total, paid, refunded, excess, disputed, captured, returned, taken } = order;
  const { ledger, invoices, invoiced, credited } = order;
  const rules: [boolean, string][] = [
    [paid === captured, `has received ${paid}, its payments ${captured}`],
    [
      refunded === returned && returned === ledger,
      `has refunded ${refunded}, its payments ${returned}, the ledger ${ledger}`,
    ],
    [disputed === taken, `has ${disputed} in dispute, its payments ${taken}`],
    [refunded + disputed <= paid, `has refunded ${refunded} and disputed ${disputed} of ${paid}`],
    [
      status !== 'canceled' || refunded + disputed === paid,
      `is canceled, and has refunded ${refunded} and disputed ${disputed} of ${paid}`,
    ],
    [invoices <= 1, `has ${invoices} invoices`],
    [status === 'canceled' || paid - excess < total || invoices === 1, `is paid and has ${invoices} invoices`],
    [invoices === 0 || invoiced >= total, `has a total of ${total} and invoices of ${invoiced}`],
    [
      invoices === 0 || invoiced - credited === (status === 'canceled' ? 0 : total - (refunded - excess)),
      `has credited ${credited} of ${invoiced}, and refunded ${refunded} of ${total} with an excess of ${excess}`,
    ],
  ];
  return rules.filter(([holds]) => !holds).map(([, fault]) => `the ${status} order ${order.id} ${fault}`);
}

/** Faults of the orders of a tenant, once no work is left, and counts. */
export async function checkOrderRecords(
  read: Reader,
  tenantId: string,
): Promise<{ broken: string[]; counts: Record<string, number> }> {
  const orders = await read<OrderRecords>(ordersText, [tenantId]);
  const series = await read<{ series: string; last: number; count: number; highest: number }>(seriesText, [tenantId]);
  const parcels = await read<{ orderId: string; packed: number; quantity: number; status: string }>(parcelsText, [
    tenantId,
  ]);
  const [shipped] = await read<{ count: number }>(
    "select count(*)::integer as count from fulfillments where tenant_id = $1 and status <> 'canceled'",
    [tenantId],
  );
  const sumOf = (name: 'invoices' | 'credited' | 'ledger') => orders.reduce((sum, order) => sum + order[name], 0);
  return {
    broken: [
      ...orders.flatMap(faultsOf),
      ...series
        .filter(({ last, count, highest }) => last !== count || highest !== count)
        .map(
          ({ series: name, last, count, highest }) =>
            `the series ${name} has ${count} numbers up to ${last}, the last of them ${highest}`,
        ),
      ...parcels.map(
        ({ orderId, packed, quantity, status }) =>
          `${packed} of ${quantity} units of the ${status} order ${orderId} are in parcels`,
      ),
    ],
    counts: {
      invoices: sumOf('invoices'),
      creditedAmount: sumOf('credited'),
      refundedAmount: sumOf('ledger'),
      parcels: shipped?.count ?? 0,
    },
  };
}
