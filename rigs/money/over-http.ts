/**
 * Carts of real stores over HTTP: ordered at the total that was shown, paid, and refunded unit by unit, some of them by
 * amount first.
 */
import { bodyOf, type Caller, untilDelivered } from '@carton/runtime/testing';
import { Random } from '../../tools/seed/random.ts';
import { startInProcessBox } from '../support/in-process-box.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { hold } from './check.ts';
import { address, type MoneyStore, openStore } from './stores.ts';

/** Carts of one store. Stores differ in currency and settings. */
const cartsPerStore = 4;
const maxStores = 9;
const shoppers = 4;

export async function checkOverHttp(stage: Stage, { carts, seed }: { carts: number; seed: number }): Promise<Findings> {
  const box = await startInProcessBox(stage, { PAYMENT_ADAPTERS: 'manual' });
  const storeCount = Math.min(Math.ceil(carts / cartsPerStore), maxStores);
  const stores: MoneyStore[] = [];
  for (let at = 0; at < storeCount; at++) stores.push(await openStore(box, new Random(seed * storeCount + at), at));
  stage.say(`${storeCount} stores are open`);
  const broken: string[] = [];
  const counts = {
    carts: 0,
    discounted: 0,
    taxed: 0,
    shipped: 0,
    refunds: 0,
    refundedUnits: 0,
    freeOrders: 0,
    choices: 0,
    invoiced: 0,
  };
  let next = 0;
  const work = async () => {
    for (let at = next++; at < carts; at = next++) {
      const random = new Random(seed + at);
      const store = stores[at % storeCount] as MoneyStore;
      try {
        const placed = await placeOrder(store, random);
        checkOrder(placed);
        const { order, choices } = await chooseMethods(store, placed, random);
        checkOrder(order);
        const { refunds, units } = await refundAll(store, order, random);
        counts.invoiced += await checkInvoices(store, order);
        counts.carts++;
        counts.discounted += Number(order.totals.discount.amount < 0);
        counts.taxed += Number(order.totals.tax.amount > 0);
        counts.shipped += Number(order.totals.shipping.amount > 0);
        counts.freeOrders += Number(order.totals.total.amount === 0);
        counts.choices += choices;
        counts.refunds += refunds;
        counts.refundedUnits += units;
      } catch (error) {
        broken.push(`cart ${at} with seed ${seed}: ${(error as Error).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: shoppers }, work));
  stage.say(`${counts.carts} carts over HTTP, ${broken.length} broken`);
  const named = Object.entries(counts).map(([name, count]) => [`${name}OverHttp`, count]);
  return { broken, counts: Object.fromEntries(named) };
}

interface Amount {
  amount: number;
}

interface Taxed {
  amount: Amount;
  tax: Amount;
}

/** The parts of an order that the checks use. */
interface PlacedOrder {
  id: string;
  currency: string;
  paymentStatus: string;
  items: {
    id: string;
    quantity: number;
    total: Amount;
    charged: Amount;
    refunded: { quantity: number; amount: Amount };
  }[];
  adjustments: {
    itemId: string | null;
    kind: string;
    code: string;
    amount: Amount;
    charged: Amount | null;
    refunded: Amount | null;
  }[];
  taxLines: { amount: Amount; included: boolean }[];
  totals: Record<'subtotal' | 'discount' | 'shipping' | 'tax' | 'rounding' | 'total', Amount>;
}

/** An order with the one who placed it, who may change its payment method. */
interface OwnOrder extends PlacedOrder {
  shopper: Caller;
}

/** Orders a random cart at the total that its checkout shows. */
async function placeOrder({ tenant, regionId, variants, codes }: MoneyStore, random: Random): Promise<OwnOrder> {
  const shopper = tenant.shopper();
  for (let line = random.between(1, 5); line > 0; line--) {
    const item = { variantId: random.pick(variants), quantity: random.between(1, 4) };
    await bodyOf(shopper.post('/cart/items', item));
  }
  await bodyOf(shopper.patch('/cart', { regionId }));
  await bodyOf(shopper.put('/cart/shipping-address', address));
  for (const code of codes) if (random.isTrue(0.5)) await bodyOf(shopper.post('/cart/promotions', { code }));
  await chooseShipping(shopper, random);
  const { cart, requirements } = await bodyOf(shopper.get('/checkout'));
  hold(requirements.length === 0, () => `unmet requirements: ${JSON.stringify(requirements)}`);
  const body = { customer: { email: 'ada@example.com' }, expectedTotal: cart.totals.total };
  const { id } = await bodyOf(shopper.post('/checkout', body));
  return { ...(await bodyOf(tenant.staff.get(`/admin/orders/${id}`))), shopper };
}

async function chooseShipping(shopper: Caller, random: Random): Promise<void> {
  const { groups } = await bodyOf(shopper.get('/cart/shipping-options'));
  for (const { options } of groups as { options: { id: string }[] }[]) {
    if (options.length > 0) await bodyOf(shopper.put('/cart/shipping-method', { optionId: random.pick(options).id }));
  }
}

const sumOf = (amounts: readonly Amount[]) => amounts.reduce((sum, { amount }) => sum + amount, 0);

function equal(what: string, actual: number, expected: number): void {
  hold(actual === expected, () => `${what} is ${actual}, not ${expected}`);
}

/** The sums of an order's parts are its totals, and its charges add up to its total. */
function checkOrder({ items, adjustments, taxLines, totals }: PlacedOrder): void {
  const ofKind = (kind: string) => sumOf(adjustments.flatMap((each) => (each.kind === kind ? each.amount : [])));
  equal('the subtotal', totals.subtotal.amount, sumOf(items.map(({ total }) => total)));
  equal('the discount', totals.discount.amount, ofKind('discount'));
  equal('the shipping', totals.shipping.amount, ofKind('shipping'));
  equal('the tax', totals.tax.amount, sumOf(taxLines.map(({ amount }) => amount)));
  const added = sumOf(taxLines.flatMap(({ included, amount }) => (included ? [] : amount)));
  const parts =
    totals.subtotal.amount + totals.discount.amount + totals.shipping.amount + added + totals.rounding.amount;
  equal('the total', totals.total.amount, parts);
  const charges = [...items.map(({ charged }) => charged), ...adjustments.flatMap(({ charged }) => charged ?? [])];
  equal('the sum of the charges', sumOf(charges), totals.total.amount);
}

/**
 * Chooses payment methods of an order, one after the other, and issues its invoice before, between or after them, or never.
 * The order costs what it did, with the fee of the last method.
 */
async function chooseMethods({ tenant }: MoneyStore, placed: OwnOrder, random: Random) {
  const path = `/admin/orders/${placed.id}`;
  const choices = placed.totals.total.amount === 0 ? 0 : random.between(0, 3);
  const invoiceAt = random.between(0, choices + 1);
  const invoice = () => bodyOf(tenant.staff.post(`${path}/invoices`));
  for (let at = 0; at < choices; at++) {
    if (at === invoiceAt) await invoice();
    const paymentMethod = random.pick(['cash_on_delivery', 'bank_transfer']);
    const session = await bodyOf(placed.shopper.post(`/checkout/${placed.id}/payment-sessions`, { paymentMethod }));
    const order: PlacedOrder = await bodyOf(tenant.staff.get(path));
    equal('the amount of a choice', session.amount.amount, order.totals.total.amount);
    const fees = order.adjustments.filter(({ code }) => code.startsWith('payment:'));
    hold(
      fees.every(({ code }) => code === `payment:${paymentMethod}`) && fees.length <= 1,
      () => `the fees after the choice of ${paymentMethod} are ${fees.map(({ code }) => code).join()}`,
    );
    const others = order.totals.total.amount - sumOf(fees.flatMap(({ charged }) => charged ?? []));
    equal('the total without fees', others, placed.totals.total.amount);
  }
  if (choices === invoiceAt) await invoice();
  return { order: (await bodyOf(tenant.staff.get(path))) as PlacedOrder, choices };
}

/** The invoices and credit notes of an order that was refunded in full add up to nothing; returns how many invoices it has. */
async function checkInvoices({ tenant }: MoneyStore, { id }: PlacedOrder): Promise<number> {
  await untilDelivered(tenant);
  const { items } = await bodyOf(tenant.staff.get(`/admin/invoices?limit=100&orderId=${id}`));
  const invoices = (items as Invoiced[]).filter(({ kind }) => kind === 'invoice');
  for (const { totals, credited } of invoices) equal('the credit of an invoice', credited.amount, totals.total.amount);
  const notes = (items as Invoiced[]).filter(({ kind }) => kind === 'credit_note');
  const taxOf = (of: Invoiced[]) => sumOf(of.map(({ totals }) => totals.tax));
  equal('the tax of credit notes', taxOf(notes), taxOf(invoices));
  return invoices.length;
}

interface Invoiced {
  kind: string;
  totals: { tax: Amount; total: Amount };
  credited: Amount;
}

/** Pays an order, refunds all of it in random groups of units, and checks that this is exactly what was paid. */
async function refundAll(
  { tenant: { staff } }: MoneyStore,
  { id, items, adjustments, totals: { total, tax }, ...order }: PlacedOrder,
  random: Random,
): Promise<{ refunds: number; units: number }> {
  const seen = { refunds: 0, units: 0 };
  if (total.amount === 0) {
    hold(order.paymentStatus === 'paid', () => `a free order is ${order.paymentStatus}`);
    return seen;
  }
  const payment = await bodyOf(staff.post(`/admin/orders/${id}/payments`, { amount: total, method: 'cash' }));
  const path = `/admin/payments/${payment.id}/refunds`;
  const codes = adjustments.flatMap(({ kind, code, charged }) => (kind === 'shipping' && charged?.amount ? code : []));
  const open = [
    ...items.flatMap(({ id, quantity, charged }) => (charged.amount > 0 ? { lineItemId: id, left: quantity } : [])),
    ...codes.map((code) => ({ code, left: 1 })),
  ];
  let [refunded, refundedTax] = [0, 0];
  const add = ({
    amount,
    tax,
    items: parts,
    shipping,
  }: {
    amount: Amount;
    tax: Amount;
    items: Taxed[];
    shipping: Taxed[];
  }) => {
    const own = [...parts, ...shipping];
    equal('the refund', amount.amount, sumOf(own.map((part) => part.amount)));
    equal('the tax of the refund', tax.amount, sumOf(own.map((part) => part.tax)));
    refunded += amount.amount;
    refundedTax += tax.amount;
    seen.refunds++;
  };
  if (total.amount > 1 && random.isTrue(0.5)) {
    const part = { amount: random.between(1, Math.ceil(total.amount / 2)), currency: order.currency };
    add(await bodyOf(staff.post(path, { amount: part })));
  }
  while (open.length > 0) {
    const at = random.between(0, open.length - 1);
    const target = open[at] as (typeof open)[number];
    let quantity = random.between(1, target.left);
    const refund = () =>
      staff.post(
        path,
        'code' in target ? { shipping: [target.code] } : { items: [{ lineItemId: target.lineItemId, quantity }] },
      );
    let response = await refund();
    // A few units may cost less than half a minor unit; all that are left never do, unless nothing is left to refund.
    if (response.status === 409) {
      quantity = target.left;
      response = await refund();
      if (response.status === 409) {
        open.splice(at, 1);
        continue;
      }
    }
    add(await bodyOf(Promise.resolve(response)));
    seen.units += quantity;
    target.left -= quantity;
    if (target.left === 0) open.splice(at, 1);
  }
  equal('the sum of the refunds', refunded, total.amount);
  equal('the tax of the refunds', refundedTax, tax.amount);
  const after: PlacedOrder = await bodyOf(staff.get(`/admin/orders/${id}`));
  hold(after.paymentStatus === 'refunded', () => `the refunded order is ${after.paymentStatus}`);
  for (const item of after.items) equal('the refund of an item', item.refunded.amount.amount, item.charged.amount);
  for (const each of after.adjustments)
    equal('the refund of a charge', each.refunded?.amount ?? 0, each.charged?.amount ?? 0);
  return seen;
}
