/**
 * A database as release 0.2.0 left it: its schema, and orders with their payments as its statements wrote them; and this
 * release on it.
 */

import { newId } from '@carton/runtime';
import {
  collectMigrations,
  loadPackages,
  migrationOwners,
  migratorSettings,
  openDatabase,
} from '@carton/runtime/service';
import { callerOf, packagesOfTier, sourceRoot, type TestBox } from '@carton/runtime/testing';
import type { Test } from 'tap';
import { startBox } from '../../../runtime/start-box.ts';

/** Before the names of all migrations that release 0.2.0 does not have. */
const ownSince = '20261126';

/** Stops a box, and undoes the migrations of later releases. @returns their files, in order */
export async function undoLaterMigrations({ box, databaseUrl }: TestBox): Promise<string[]> {
  await box.stop();
  const owners = migrationOwners(await loadPackages(packagesOfTier('enterprise'), sourceRoot));
  const migrations = await collectMigrations(owners);
  const later = migrations.map(({ file }) => file).filter((file) => file >= ownSince);
  const { knex, close } = openDatabase({ url: databaseUrl, poolSize: 2 });
  try {
    for (const name of later.toReversed()) {
      await knex.migrate.down({ ...migratorSettings(migrations, owners), name });
    }
  } finally {
    await close();
  }
  return later;
}

/**
 * Starts this release on the database of a box of the former one, until the test ends; a value that the schema of a
 * response refuses fails the read. @returns it, and its staff
 */
export async function startUpgraded(
  t: Test,
  { databaseUrl, secrets, staff }: TestBox,
  options: Pick<Parameters<typeof startBox>[0], 'environment' | 'extends'> = {},
) {
  const upgraded = await startBox({
    ...options,
    databaseUrl,
    tier: 'enterprise',
    packages: packagesOfTier('enterprise'),
    packagesFrom: sourceRoot,
    hostingSecret: secrets.hosting,
    strictResponses: true,
    host: '127.0.0.1',
    port: 0,
  });
  t.teardown(() => upgraded.stop());
  return { upgraded, staff: callerOf(upgraded.url, staff.headers) };
}

/** Runs a statement on the database. */
export type Run = (text: string, values: unknown[]) => Promise<unknown>;

/** A refund of the first payment, unless `of` is another. */
export interface FormerRefund {
  amount: number;
  /** Units of the only line, each a third of the total; without it, a refund by amount. */
  units?: number;
  of?: number;
  reason?: string;
  status?: 'succeeded' | 'pending' | 'failed';
}

export interface FormerPayment {
  amount: number;
  /** Default: recorded by staff, all of it. */
  provider?: string;
  captured?: number;
  status?: 'pending' | 'authorized' | 'captured' | 'voided' | 'failed';
}

export interface FormerOrder {
  payments?: FormerPayment[];
  refunds?: FormerRefund[];
  canceled?: boolean;
}

export interface WrittenOrder {
  id: string;
  lineItemId: string;
  payments: string[];
}

let number = 20_000;

/** Writes an order of three units for 30.00 with its payments, as release 0.2.0 did; its payment status is that of its rules. */
export async function writeFormerOrder(
  run: Run,
  tenantId: string,
  { payments = [], refunds = [], canceled = false }: FormerOrder,
): Promise<WrittenOrder> {
  const [id, lineItemId] = [newId(), newId()];
  const refundedOf = (at: number) =>
    refunds
      .filter(({ of = 0, status = 'succeeded' }) => of === at && status === 'succeeded')
      .reduce((sum, { amount }) => sum + amount, 0);
  const rows = payments.map(({ amount, provider = 'offline', status = 'captured', captured }, at) => {
    const refunded = refundedOf(at);
    return { id: newId(), amount, provider, status, captured: captured ?? amount, refunded };
  });
  const sum = (name: 'captured' | 'refunded') => rows.reduce((all, row) => all + row[name], 0);
  const state = formerStatusOf(canceled, rows);
  await run(
    `insert into orders (tenant_id, id, number, cart_id, session_hash, payment_status, currency, subtotal_amount,
                         discount_amount, shipping_amount, tax_amount, credit_amount, total_amount, email,
                         metadata, region_id, locale, pay_by, attribution, terms_version, terms_accepted_at)
     values ($1, $2, $3, $4, $5, 'unpaid', 'EUR', 3000, 0, 0, 0, 0, 3000, 'ada@example.com', '{}', null, null, null, null,
             null, null)`,
    [tenantId, id, String(++number), newId(), 'a'.repeat(64)],
  );
  await run(
    `insert into order_line_items (tenant_id, order_id, id, position, variant_id, product_id, title, variant_title,
                                   properties, quantity, unit_amount, total_amount, requires_shipping)
     values ($1, $2, $3, 0, $4, $5, 'Mug', 'White', '{}', 3, 1000, 3000, true)`,
    [tenantId, id, lineItemId, newId(), newId()],
  );
  for (const row of rows) {
    await run(
      `insert into payments (tenant_id, id, order_id, provider, method, status, capture_mode, currency, amount,
                             captured_amount, refunded_amount, reference)
       values ($1, $2, $3, $4, 'card', $5, 'manual', 'EUR', $6, $7, $8, $9)`,
      [tenantId, row.id, id, row.provider, row.status, row.amount, row.captured, row.refunded, row.id],
    );
    // What staff have recorded was received at once; such a payment is voided as if it had never been made.
    const received = row.provider === 'offline' ? row.amount : row.captured;
    if (received > 0) await writeStep(run, tenantId, row.id, newId(), 'capture', received, 'succeeded');
  }
  for (const refund of refunds) {
    await writeRefund(run, tenantId, { id, lineItemId, payments: rows.map((row) => row.id) }, refund);
  }
  await run(
    `update orders set payment_status = $3, paid_amount = $4, refunded_amount = $5, status = $6,
            canceled_at = case when $6 = 'canceled' then now() end
      where tenant_id = $1 and id = $2`,
    [tenantId, id, state, sum('captured'), sum('refunded'), canceled ? 'canceled' : 'placed'],
  );
  return { id, lineItemId, payments: rows.map((row) => row.id) };
}

function writeStep(
  run: Run,
  tenantId: string,
  paymentId: string,
  id: string,
  type: 'capture' | 'refund',
  amount: number,
  status: string,
): Promise<unknown> {
  return run(
    `insert into payment_transactions (tenant_id, payment_id, id, type, amount, status, actor_type, created_at)
     values ($1, $2, $3, $4, $5, $6, 'system', now() - interval '1 minute')`,
    [tenantId, paymentId, id, type, amount, status],
  );
}

/** Units of a refund that failed were reversed. */
async function writeRefund(
  run: Run,
  tenantId: string,
  { id: orderId, lineItemId, payments }: WrittenOrder,
  { amount, units, of = 0, reason, status = 'succeeded' }: FormerRefund,
): Promise<void> {
  const [refundId, paymentId] = [newId(), payments[of] as string];
  await writeStep(run, tenantId, paymentId, refundId, 'refund', amount, status);
  await run(
    `insert into refunds (tenant_id, id, payment_id, order_id, currency, amount, reason, tax)
     values ($1, $2, $3, $4, 'EUR', $5, $6, $7)`,
    [tenantId, refundId, paymentId, orderId, amount, reason ?? null, units === undefined ? null : 0],
  );
  if (units === undefined) return;
  for (const sign of status === 'failed' ? [1, -1] : [1]) {
    await run(
      `insert into order_refund_items (tenant_id, order_id, id, refund_id, line_item_id, quantity, amount, tax)
       values ($1, $2, $3, $4, $5, $6, $7, 0)`,
      [tenantId, orderId, newId(), refundId, lineItemId, sign * units, sign * amount],
    );
  }
}

/** The payment status by the rules of release 0.2.0: a refund did not lower what was charged. */
function formerStatusOf(
  isCanceled: boolean,
  payments: readonly { status: string; provider: string; amount: number; captured: number; refunded: number }[],
): string {
  const sum = (of: (each: (typeof payments)[number]) => number) => payments.reduce((all, each) => all + of(each), 0);
  const [captured, refunded] = [sum((each) => each.captured), sum((each) => each.refunded)];
  if (refunded > 0 && captured <= refunded) return 'refunded';
  if (captured - refunded >= 3000) return 'paid';
  if (refunded > 0) return 'partially_refunded';
  if (captured > 0) return 'partially_paid';
  if (payments.some(({ status, amount, captured }) => status === 'authorized' && amount > captured))
    return 'authorized';
  const isVoided = payments.some(({ status, provider }) => status === 'voided' && provider !== 'offline');
  return isCanceled || (isVoided && payments.every(({ status }) => status !== 'pending')) ? 'voided' : 'unpaid';
}
