/**
 * Takes the tax service and the carrier service away while shoppers buy. One store sells on with its own rates, another
 * places no order without taxes of the service. Nothing may be lost, every amount must be one that a shopper has seen, and
 * once the services are back, orders have their prices again.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { carrierServiceSettings, startCarrierService } from '@carton/easypost/testing';
import { callerOf, freePort, type RunningSimulator, sessionHashOf } from '@carton/runtime/testing';
import { startTaxService, taxServiceSettings } from '@carton/stripe/testing';
import { median } from '../../tools/load/measurement.ts';
import { type LoadTenant, openTenantAt } from '../../tools/load/tenant.ts';
import { secrets, startRigBox } from '../support/box.ts';
import { type ClientRequest, newTally, sendRequest, sum, type Tally } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import { urlOfEmbedded, withReader } from '../support/postgres.ts';
import type { Rig, Stage } from '../support/rig.ts';
import { type Purchase, requireStatus, type Send, sendUntilFinal } from '../support/shoppers.ts';
import { stock } from '../support/tenants.ts';

/** Per cent: of the service, and of the stores. */
const [serviceRate, ownRate] = [19, 10];
/** The option's own rate in minor units. */
const ownShipping = 690;
/** Grams per unit. */
const weight = 500;

/** How the services are away, one after the other. */
const outages = ['drop', 'slow', 'fail', 'wrong'] as const;
const wrongAnswers = { tax: 'wrong-sum', carrier: 'negative' };

export const rig: Rig = {
  about: 'Takes the tax and carrier services away while shoppers buy, and checks orders and amounts at the end.',
  options: {
    seconds: { about: 'seconds without the services', defaultValue: '60', short: '10' },
    shoppers: { about: 'concurrent shoppers', defaultValue: '12', short: '6' },
  },
  timeLimit: (stage) => 240 + 3 * stage.number('seconds'),
  async run(stage) {
    stage.say('starting a tax service, a carrier service and a box');
    const services = { tax: await startTaxService(), carrier: await startCarrierService() };
    for (const [name, { stop }] of Object.entries(services)) stage.atEnd(`the ${name} service`, stop);
    const box = await startRigBox(stage, {
      name: 'box',
      port: await freePort(),
      environment: {
        ...(taxServiceSettings(services.tax) as Record<string, string>),
        ...(carrierServiceSettings(services.carrier) as Record<string, string>),
        TAX_PROVIDER_PAUSE: '2',
        CARRIER_PAUSE: '2',
      },
    });
    const stores = [await openStore(box.url, 'lenient', 'rates'), await openStore(box.url, 'strict', 'reject')];
    const buyers = sendBuyers(box.url, stores, stage.number('shoppers'));
    const outage = stage.number('seconds');
    const phases = new Phases(buyers.records);
    stage.say('the services work');
    await phases.measure('before', () => pause(stage, outage / 3));
    const isPlaced = () => buyers.records.some((record) => record.purchase.end === 'ordered');
    while (!isPlaced()) await pause(stage, 0.1);
    stage.say(`the services are away for ${outage} s: ${outages.join(', ')}`);
    await phases.measure('during', async () => {
      for (const mode of outages) {
        for (const [name, service] of Object.entries(services)) {
          await service.setMode(mode === 'wrong' ? wrongAnswers[name as keyof typeof wrongAnswers] : mode);
        }
        await pause(stage, outage / outages.length);
      }
    });
    const [callsToTax, callsToCarrier] = await Promise.all(Object.values(services).map(callsOf));
    for (const service of Object.values(services)) await service.setMode('ok');
    stage.say('the services work again');
    await phases.measure('after', () => pause(stage, Math.max(outage / 3, 8)));
    stage.say('waiting for the last shoppers');
    await buyers.stop();
    const url = await urlOfEmbedded(box.databaseFolder);
    const tenants = stores.map(({ tenant }) => tenant);
    const purchases = buyers.records.map(({ purchase }) => purchase);
    const records = await checkConsistency(url, tenants, purchases, stock);
    const amounts = await checkAmounts(url, stores, buyers.records);
    return {
      broken: [...buyers.tally.broken, ...records.broken, ...amounts.broken, ...phases.broken(amounts.sources)],
      counts: {
        requests: buyers.tally.requests,
        responsesLost: sum(buyers.tally.lost),
        unavailable503: buyers.tally.statuses.get(503) ?? 0,
        totalsThatChanged: buyers.changedTotals(),
        longestRequestMs: Math.round(buyers.tally.longest),
        lastCallsToTaxService: callsToTax ?? 0,
        lastCallsToCarrierService: callsToCarrier ?? 0,
        ...phases.counts(amounts.sources),
        ...records.counts,
      },
    };
  },
};

const callsOf = async (service: RunningSimulator) => (await service.state()).calls;
const pause = (stage: Stage, seconds: number) => sleep(seconds * 1000, undefined, { signal: stage.signal });

interface Store {
  tenant: LoadTenant;
  fallback: 'rates' | 'reject';
  optionId: string;
}

async function openStore(url: string, slug: string, fallback: Store['fallback']): Promise<Store> {
  const tenant = await openTenantAt(url, { secrets, slug, products: 6, stock });
  const staff = callerOf(url, tenant.staffHeaders);
  const required = async (response: ReturnType<typeof staff.get>) => {
    const { status, body } = await response;
    if (status >= 300) throw new Error(`the store could not be set up: ${JSON.stringify(body)}`);
    return body;
  };
  for (const id of tenant.variants) await required(staff.patch(`/admin/variants/${id}`, { weight }));
  await required(staff.post('/admin/tax-rates', { code: 'own', name: 'Own', country: 'DE', rate: ownRate }));
  const origin = { line1: '2 Pier', city: 'Hamburg', country: 'DE' };
  const settings = { tax: { provider: 'stripe', fallback }, shipping: { origin } };
  await required(staff.patch('/admin/store', { settings }));
  const option = { code: 'parcel', name: 'Parcel', type: 'carrier', carrierService: 'DHL Paket' };
  const rates = [{ currency: 'EUR', amount: ownShipping }];
  const { id: optionId } = await required(staff.post('/admin/shipping-options', { ...option, rates }));
  return { tenant, fallback, optionId };
}

/** A purchase with the time at which its order was placed, and the milliseconds of each of its requests. */
interface BuyerRecord {
  store: Store;
  purchase: Purchase;
  orderedAt: number | null;
  /** The last total that the shopper has seen. */
  seen: number;
  requests: { at: number; milliseconds: number }[];
}

interface Buyers {
  records: readonly BuyerRecord[];
  tally: Tally;
  changedTotals(): number;
  stop(): Promise<void>;
}

/** Starts shoppers, each of whom buys again and again, to a new address each time. */
function sendBuyers(url: string, stores: readonly Store[], shoppers: number): Buyers {
  const tally = newTally();
  const records: BuyerRecord[] = [];
  let [isOpen, changed] = [true, 0];
  // Each buys in one store: the shoppers of the one that sells no longer must not leave the other one idle.
  const shopper = async (store: Store) => {
    while (isOpen) {
      const purchase: Purchase = {
        tenant: store.tenant,
        sessionHash: '',
        behaviour: 'keyed',
        items: new Map(),
        placed: [],
        end: 'given up',
      };
      const record: BuyerRecord = { store, purchase, orderedAt: null, seen: 0, requests: [] };
      records.push(record);
      const send: Send = async (request) => {
        await sleep(Math.random() * 40);
        const at = performance.now();
        const outcome = await sendRequest(url, request, tally);
        record.requests.push({ at, milliseconds: performance.now() - at });
        return outcome;
      };
      purchase.end = await buy(record, send, () => changed++).catch((error: Error) => {
        tally.broken.add(error.message);
        return 'refused';
      });
    }
  };
  const all = Promise.all(Array.from({ length: shoppers }, (_, at) => shopper(stores[at % stores.length] as Store)));
  return {
    records,
    tally,
    changedTotals: () => changed,
    async stop() {
      isOpen = false;
      await all;
    },
  };
}

let street = 0;

/** @throws Error with a response that these shoppers must not get */
async function buy(record: BuyerRecord, send: Send, onChangedTotal: () => void): Promise<Purchase['end']> {
  const { store, purchase } = record;
  const headers: Record<string, string> = { ...store.tenant.tenantHeaders };
  const call = async (status: number, request: Omit<ClientRequest, 'headers'>, more: Record<string, string> = {}) => {
    const response = await sendUntilFinal(send, { ...request, headers: { ...headers, ...more } });
    if (response === null) return null;
    if (response.session) headers['x-session-id'] = response.session;
    return status === 0 ? response : requireStatus(response, status);
  };
  const key = () => ({ 'idempotency-key': randomUUID() });
  const variantId = store.tenant.variants[Math.floor(Math.random() * store.tenant.variants.length)] as string;
  const quantity = 1 + Math.floor(Math.random() * 3);
  const item = { method: 'POST', path: '/cart/items', body: { variantId, quantity } };
  if (!(await call(201, item, key()))) return 'given up';
  purchase.sessionHash = sessionHashOf({ headers });
  purchase.items.set(variantId, quantity);
  const address = { name: 'Ada', line1: `${++street} Main Street`, city: 'Berlin', country: 'DE' };
  if (!(await call(200, { method: 'PUT', path: '/cart/shipping-address', body: address }))) return 'given up';
  const options = await call(200, { method: 'GET', path: '/cart/shipping-options' });
  if (options?.body.groups[0]?.options.length !== 1) throw new Error('the option of the store is not offered');
  const choice = { method: 'PUT', path: '/cart/shipping-method', body: { optionId: store.optionId } };
  let cart = (await call(200, choice))?.body;
  for (let attempt = 0; cart && attempt < 10; attempt++) {
    record.seen = cart.totals.total.amount;
    const body = { customer: { email: 'ada@example.com' }, expectedTotal: cart.totals.total };
    const response = await call(0, { method: 'POST', path: '/checkout', body }, key());
    if (response === null) return 'given up';
    if (response.body.code !== 'total_changed') {
      purchase.placed.push(requireStatus(response, 201).body.id);
      record.orderedAt = performance.now();
      return 'ordered';
    }
    onChangedTotal();
    cart = (await call(200, { method: 'GET', path: '/cart' }))?.body;
  }
  return 'given up';
}

/** By order id: whether its taxes are the service's. */
type Sources = ReadonlyMap<string, 'service' | 'own'>;

interface OrderRow {
  id: string;
  total: number;
  subtotal: number;
  shipping: number;
  tax: number;
  units: number;
  /** Sums of tax lines by source, and the number of those that are not their rate of their base. */
  taxes: { source: string; rate: number; wrong: number; amount: number }[];
}

/** Every order has the total that its shopper saw, and amounts that add up, of the service or of the store entirely. */
async function checkAmounts(
  url: string,
  stores: readonly Store[],
  records: readonly BuyerRecord[],
): Promise<{ broken: string[]; sources: Sources }> {
  const broken: string[] = [];
  const sources = new Map<string, 'service' | 'own'>();
  const seen = new Map(records.flatMap(({ purchase, seen }) => purchase.placed.map((id) => [id, seen] as const)));
  for (const { tenant, fallback } of stores) {
    const orders = await withReader(url, (read) => read<OrderRow>(orderAmounts, [tenant.tenantId]));
    for (const order of orders) {
      const faults = faultsOf(order, seen.get(order.id));
      const isOwn = order.taxes.every(({ source }) => source === 'tax_rate');
      if (isOwn && fallback === 'reject') faults.push('its taxes are estimated, which the store does not allow');
      sources.set(order.id, isOwn ? 'own' : 'service');
      broken.push(...faults.map((fault) => `${tenant.slug}: order ${order.id}: ${fault}`));
    }
  }
  return { broken, sources };
}

const orderAmounts = `
  select id, total_amount::float8 as total, subtotal_amount::float8 as subtotal, shipping_amount::float8 as shipping,
         tax_amount::float8 as tax,
         (select sum(quantity)::integer from order_line_items where tenant_id = $1 and order_id = orders.id) as units,
         (select json_agg(taxed) from (
            select tax.source_type as source, tax.rate::float8 as rate, sum(tax.amount)::float8 as amount,
                   count(*) filter (where tax.amount <> round(coalesce(line.total_amount, shipping_amount) * tax.rate / 100)) as wrong
              from order_tax_lines tax
              left join order_line_items line on line.tenant_id = $1 and line.order_id = tax.order_id
                                             and line.id = tax.line_item_id
             where tax.tenant_id = $1 and tax.order_id = orders.id
             group by 1, 2) taxed) as taxes
    from orders where tenant_id = $1`;

function faultsOf({ total, subtotal, shipping, tax, units, taxes }: OrderRow, seen: number | undefined): string[] {
  const ounces = Math.ceil(((units * weight) / 28.349523125) * 10) / 10;
  const byCarrier = Math.round(Number((4 + ounces / 10).toFixed(2)) * 100);
  const [first] = taxes ?? [];
  const expectedRate = first?.source === 'tax_provider' ? serviceRate : ownRate;
  return [
    ...(seen === total ? [] : [`its total is ${total}, and its shopper saw ${seen}`]),
    ...(total === subtotal + shipping + tax ? [] : ['its amounts do not add up']),
    ...([byCarrier, ownShipping].includes(shipping) ? [] : [`its shipping is ${shipping}`]),
    ...(taxes?.length === 1 && first?.rate === expectedRate ? [] : ['its taxes have several sources or rates']),
    ...(first?.wrong === 0 && first.amount === tax ? [] : ['its taxes are not their rate of the amounts']),
  ];
}

/** What shoppers had in each phase. */
class Phases {
  readonly #records: readonly BuyerRecord[];
  readonly #times = new Map<string, [from: number, to: number]>();

  constructor(records: readonly BuyerRecord[]) {
    this.#records = records;
  }

  async measure(name: string, work: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await work();
    this.#times.set(name, [from, performance.now()]);
  }

  #ordersIn(name: string, sources: Sources) {
    const [from, to] = this.#times.get(name) as [number, number];
    const ordered = this.#records.filter(({ orderedAt }) => orderedAt !== null && orderedAt >= from && orderedAt < to);
    const bySource = (source: string) =>
      ordered.filter(({ purchase }) => sources.get(purchase.placed[0] as string) === source).length;
    return { service: bySource('service'), own: bySource('own') };
  }

  broken(sources: Sources): string[] {
    return [
      ...(this.#ordersIn('before', sources).service > 0 ? [] : ['no order had prices of the services before']),
      ...(this.#ordersIn('during', sources).own > 0 ? [] : ['no order was placed without the services']),
      ...(this.#ordersIn('after', sources).service > 0 ? [] : ['no order had prices of the services after']),
    ];
  }

  counts(sources: Sources): Record<string, number> {
    return Object.fromEntries(
      [...this.#times].flatMap(([name, [from, to]]) => {
        const { service, own } = this.#ordersIn(name, sources);
        const times = this.#records
          .flatMap(({ requests }) => requests)
          .filter(({ at }) => at >= from && at < to)
          .map(({ milliseconds }) => milliseconds);
        const medianMs = times.length === 0 ? 0 : Math.round(median(times));
        return [
          [`${name}OrdersByService`, service],
          [`${name}OrdersByOwnRates`, own],
          [`${name}MedianRequestMs`, medianMs],
        ];
      }),
    );
  }
}
