/**
 * Kills the box repeatedly while shoppers pay, and while staff ship, refund and cancel orders. Meanwhile the provider loses
 * requests and responses, is slow, fails, and sends webhooks late, twice and out of order. The box must recover without
 * help: at the end the provider's ledger and the box's records agree for every payment, no order is paid twice, and no
 * payment is forgotten. Each paid order has one invoice, whose numbers have no gap; canceled orders are refunded and
 * credited in full; no parcel has more than was ordered, and the stock of refunded units has returned, once. Orders whose payment is not authorized wait for it: each is placed
 * once, or canceled once with its stock and cart back. Some payments are disputed while staff refund or cancel their order:
 * no more is refunded and disputed than was paid, and what is won back goes to shoppers whose order is canceled.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Caller, callerOf, freePort } from '@carton/runtime/testing';
import {
  type FaultRates,
  findMismatches,
  type LedgerEntry,
  noRates,
  type RecordedPayment,
  Shopper,
  type SimulatorOptions,
} from '@carton/stripe/testing';
import { median } from '../../tools/load/measurement.ts';
import { type LoadTenant, openTenantAt } from '../../tools/load/tenant.ts';
import { type RigBox, secrets, startRigBox } from '../support/box.ts';
import { newTally, sum } from '../support/client.ts';
import { checkOrderRecords } from '../support/order-records.ts';
import { urlOfEmbedded, withReader } from '../support/postgres.ts';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { type Banks, type PaidPurchase, sendPayers, unpaid } from './payers.ts';
import { checkPendingRecords } from './pending-records.ts';
import { checkRestocking } from './restocking-records.ts';

const key = 'sk_test_rig';
const secret = 'whsec_rig';
/** Of the calls to the provider, about one in twelve fails or has an unknown outcome, and one in five is slow. */
const rates: FaultRates = {
  loseRequest: 0.03,
  loseResponse: 0.03,
  fail: 0.02,
  delay: 0.2,
  maxDelay: 400,
  delayEvent: 0.2,
  maxEventDelay: 4000,
  repeatEvent: 0.1,
};
/** Seconds within which box and provider must agree once the provider works again. */
const maxRecovery = 300;
/** Units of each product. */
const stock = 1_000_000;

export const rig: Rig = {
  about: 'Kills the box while a payment provider loses responses, and compares the amounts at the end.',
  options: {
    orders: { about: 'number of purchases', defaultValue: '2000', short: '60' },
    kills: { about: 'kill -9 of the box', defaultValue: '50', short: '2' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '32', short: '8' },
    seed: { about: 'seed of the random faults; 0 draws one', defaultValue: '0' },
    lifetime: {
      about: 'seconds until sessions expire; longer than any shopper takes, even while a killed box restarts',
      defaultValue: '90',
    },
  },
  timeLimit: (stage) => 240 + stage.number('orders') / 4 + 30 * stage.number('kills') + maxRecovery,
  async run(stage) {
    const seed = stage.number('seed') || randomInt(1, 1_000_000);
    stage.say(`starting a provider (--seed ${seed}) and a box`);
    const port = await freePort();
    const provider = await startProvider(stage, {
      seed,
      rates,
      accounts: { [key]: [{ url: `http://127.0.0.1:${port}/payments/webhooks/stripe`, secret }] },
    });
    const environment = {
      PAYMENT_ADAPTERS: 'stripe',
      PAYMENT_SESSION_LIFETIME: stage.word('lifetime'),
      STRIPE_SECRET_KEY: key,
      STRIPE_WEBHOOK_SECRET: secret,
      STRIPE_API_URL: provider.url,
    };
    const box = await startRigBox(stage, { name: 'box', port, environment });
    const tenant = await openTenantAt(box.url, { secrets, slug: 'shop', products: 4, stock });
    const staff = await signIn(box.url, tenant);
    await issueInvoices(staff);
    await shortenPending(staff);
    const tally = newTally();
    const payers = sendPayers({
      url: box.url,
      tenant,
      staff,
      browser: new Shopper(provider.url),
      banks: provider.banks,
      purchases: stage.number('orders'),
      shoppers: stage.number('shoppers'),
      tally,
    });
    const kills = await killInBetween(stage, box, payers.purchases);
    stage.say('waiting for the last shoppers');
    await payers.done;
    const ended = performance.now();
    await provider.setRates(noRates);
    stage.say('the provider works again; the box reconciles the open payments');
    const found = await untilConsistent(stage, box, tenant, provider, payers.purchases);
    return {
      broken: [...[...tally.broken].filter((line) => !line.includes('payment_provider_failed')), ...found.broken],
      counts: {
        seed,
        kills: kills.length,
        ...(kills.length > 0 && {
          medianMsAfterKill: Math.round(median(kills)),
          worstMsAfterKill: Math.round(Math.max(...kills)),
        }),
        requests: tally.requests,
        connectionsRefused: tally.refused,
        responsesLost: sum(tally.lost),
        providerFailed: tally.statuses.get(502) ?? 0,
        ...countsOf(payers.purchases),
        ...found.counts,
        recoverySeconds: Math.round((performance.now() - ended) / 1000),
      },
    };
  },
};

interface Provider {
  url: string;
  banks: Banks;
  setRates(rates: FaultRates): Promise<ProviderReport>;
  report(): Promise<ProviderReport>;
}

interface ProviderReport {
  payments: LedgerEntry[];
  calls: number;
  webhooks: { events: number; delivered: number; abandoned: number };
}

/** Starts the provider as a process of its own. */
async function startProvider(stage: Stage, options: SimulatorOptions): Promise<Provider> {
  const main = fileURLToPath(new URL('../../vendor/stripe/testing/main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=workspace-source', main, JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  stage.atEnd('the provider', async () => {
    if (child.exitCode !== null) return;
    child.stdin.end();
    await once(child, 'exit');
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const control = async <T = ProviderReport>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${url}/simulator/${path}`, { method: 'POST', body: JSON.stringify(body ?? {}) });
    return (await response.json()) as T;
  };
  const banks: Banks = {
    dispute: (intent, amount) => control('dispute', { intent, amount }),
    decide: (intent, status) => control('dispute', { intent, status }),
  };
  return { url, banks, setRates: (rates) => control('rates', rates), report: () => control('ledger') };
}

async function signIn(url: string, { slug, tenantHeaders }: LoadTenant): Promise<Caller> {
  const login = { email: `owner@${slug}.example`, password: secrets.hostingSecret };
  const { body } = await callerOf(url, tenantHeaders).post('/admin/auth/login', login);
  return callerOf(url, { ...tenantHeaders, authorization: `Bearer ${body.token}` });
}

/** Lets the store issue an invoice for each order that is paid. */
async function issueInvoices(staff: Caller): Promise<void> {
  const seller = { legalName: 'Demo Store SAS', address: 'Lyon' };
  const { status } = await staff.patch('/admin/store', { ...seller, settings: { invoice: { issueOn: 'payment' } } });
  if (status !== 200) throw new Error(`the settings of invoices got ${status}`);
}

/** Lets orders wait for their payment for the shortest time, which ends before the recovery does. */
async function shortenPending(staff: Caller): Promise<void> {
  const { status } = await staff.patch('/admin/checkout-settings', {
    pendingOrderMinutes: 1,
    // Its guests order in parallel, and leave many orders unpaid.
    guestUnpaidUnits: null,
  });
  if (status !== 200) throw new Error(`the settings of checkout got ${status}`);
}

/** Kills the box at times spread over all purchases; returns the milliseconds until it served again, for each kill. */
async function killInBetween(stage: Stage, box: RigBox, purchases: readonly PaidPurchase[]): Promise<number[]> {
  const [kills, orders] = [stage.number('kills'), stage.number('orders')];
  const served: number[] = [];
  for (let number = 1; number <= kills; number++) {
    while (purchases.length < (orders * number) / (kills + 1)) {
      stage.signal.throwIfAborted();
      await sleep(20);
    }
    await sleep(Math.random() * 300);
    served.push(await box.untilServes(await box.kill()));
    const milliseconds = served.at(-1)?.toFixed(0);
    stage.say(
      `kill ${number} of ${kills}, served again after ${milliseconds} ms; ${purchases.length} purchases so far`,
    );
  }
  return served;
}

interface OrderRow {
  id: string;
  status: string;
  payment_status: string;
}

/** The box's payments and orders. */
interface BoxRecords {
  payments: RecordedPayment[];
  orders: OrderRow[];
  /** Number of pending steps, and of sessions that are open or not released. */
  open: number;
}

function readBoxRecords(url: string, { tenantId }: LoadTenant): Promise<BoxRecords> {
  return withReader(url, async (read) => {
    const payments = await read<RecordedPayment>(
      `select id, reference, status, captured_amount::float8 as "capturedAmount",
              refunded_amount::float8 as "refundedAmount", disputed_amount::float8 as "disputedAmount"
         from payments where tenant_id = $1 and provider = 'stripe'`,
      [tenantId],
    );
    const orders = await read<OrderRow>('select id, status, payment_status from orders where tenant_id = $1', [
      tenantId,
    ]);
    const [rest] = await read<{ open: number }>(
      `select (select count(*) from payment_transactions where tenant_id = $1 and status = 'pending')::integer
            + (select count(*) from payment_sessions
                where tenant_id = $1 and (status = 'open' or status = 'given_up' and check_at is not null))::integer as open`,
      [tenantId],
    );
    return { payments, orders, open: rest?.open ?? 0 };
  });
}

/** Compares until box and provider agree, or the time is over. */
async function untilConsistent(
  stage: Stage,
  box: RigBox,
  tenant: LoadTenant,
  provider: Provider,
  purchases: readonly PaidPurchase[],
): Promise<Findings> {
  const until = Date.now() + maxRecovery * 1000;
  const url = await urlOfEmbedded(box.databaseFolder);
  let comparisons = 0;
  for (;;) {
    stage.signal.throwIfAborted();
    const [records, report] = [await readBoxRecords(url, tenant), await provider.report()];
    const ofOrders = await withReader(url, (read) => checkOrderRecords(read, tenant.tenantId));
    const ofPending = await withReader(url, (read) => checkPendingRecords(read, tenant.tenantId, stock));
    const ofUnits = await withReader(url, (read) => checkRestocking(read, tenant.tenantId));
    const broken = [
      ...findMismatches(report.payments, records.payments),
      ...orderFaults(records, purchases),
      ...ofOrders.broken,
      ...ofPending.broken,
      ...ofUnits.broken,
    ];
    if (records.open > 0) broken.push(`${records.open} steps and sessions are still open`);
    if (broken.length === 0 || Date.now() > until) {
      return {
        broken,
        counts: { ...moneyOf(records, report), ...ofOrders.counts, ...ofPending.counts, ...ofUnits.counts },
      };
    }
    if (comparisons++ % 15 === 0) stage.say(`${broken.length} differences, such as: ${broken[0]}`);
    await sleep(1000);
  }
}

/** Each order that a shopper got exists; it is paid if the shopper's card was charged for it. */
function orderFaults({ orders }: BoxRecords, purchases: readonly PaidPurchase[]): string[] {
  const byId = new Map(orders.map((order) => [order.id, order]));
  const known = new Set(purchases.map(({ orderId }) => orderId));
  const faults = orders.filter(({ id }) => !known.has(id)).map(({ id }) => `no shopper got order ${id}`);
  for (const { orderId, paid, behaviour } of purchases) {
    if (orderId === null) continue;
    const order = byId.get(orderId);
    if (!order) faults.push(`a shopper got order ${orderId}, which does not exist`);
    else if (
      (['is canceled', 'is disputed and canceled'].includes(behaviour) || unpaid.includes(behaviour)) &&
      order.status !== 'canceled'
    )
      faults.push(`order ${orderId} is not canceled`);
    else if (paid && order.status !== 'canceled' && !isPaid(order, behaviour)) {
      faults.push(`the shopper of order ${orderId} (${behaviour}) has paid, and the order is ${order.payment_status}`);
    }
  }
  return faults;
}

/** True of an order that is paid, also if staff have refunded it. */
function isPaid({ payment_status: status }: OrderRow, behaviour: PaidPurchase['behaviour']): boolean {
  return (
    status === 'paid' ||
    (/^is (refunded|disputed)/.test(behaviour) && ['partially_refunded', 'refunded'].includes(status))
  );
}

function countsOf(purchases: readonly PaidPurchase[]): Findings['counts'] {
  const ended = (end: PaidPurchase['end']) => purchases.filter((purchase) => purchase.end === end).length;
  return { purchases: purchases.length, ordersConfirmed: ended('ordered'), leftAfterPaying: ended('left') };
}

/** Sums in minor units. */
function moneyOf(
  { payments, orders }: BoxRecords,
  { payments: ledger, calls, webhooks }: ProviderReport,
): Findings['counts'] {
  const total = <T>(rows: readonly T[], amount: (row: T) => number) => rows.reduce((all, row) => all + amount(row), 0);
  const recorded = new Set(payments.map((payment) => payment.reference));
  const own = ledger.filter(({ reference }) => recorded.has(reference));
  return {
    orders: orders.length,
    ordersPaid: orders.filter((order) => order.payment_status === 'paid').length,
    ordersCanceled: orders.filter((order) => order.status === 'canceled').length,
    paymentsStarted: ledger.length,
    paymentsGivenUp: ledger.filter(({ status }) => status === 'canceled').length,
    capturedAtProvider: total(own, ({ captured }) => captured),
    disputedAtProvider: total(own, ({ disputed }) => disputed),
    disputedInBox: total(payments, ({ disputedAmount }) => disputedAmount),
    capturedInBox: total(payments, ({ capturedAmount }) => capturedAmount),
    keptWithoutOrder:
      total(ledger, ({ captured, refunded }) => captured - refunded) -
      total(own, ({ captured, refunded }) => captured - refunded),
    secondTriesThatTookNothing: total(ledger, ({ duplicates }) => duplicates),
    callsToProvider: calls,
    events: webhooks.events,
    eventsDelivered: webhooks.delivered,
    eventsNeverTaken: webhooks.abandoned,
  };
}
