/**
 * Helpers of the tests of parcels: orders that have taken their stock, and their parcels.
 */
import { takeStock } from '@carton/inventory';
import { createOrder, type Order, type OrderDraft } from '@carton/order';
import { draftOf } from '@carton/order/testing';
import { newId } from '@carton/runtime';
import { type Answer, type TestBox, type TestTenant, untilDelivered } from '@carton/runtime/testing';

let created = 0;

/** Creates a variant with stock; returns its id, and its stock on hand. */
async function createVariant({ staff }: TestTenant, onHand: number) {
  const title = `Article ${++created}`;
  const product = { title, status: 'published', variants: [{ sku: `ARTICLE-${created}` }] };
  const variantId: string = (await staff.post('/admin/products', product)).body.variants[0].id;
  const path = `/admin/stock-items/${(await staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items[0].id}`;
  await staff.post(`${path}/adjustments`, { quantity: onHand, reason: 'received' });
  return { variantId, path, title };
}

export interface Stocked {
  order: Order;
  lineIds: string[];
  variantIds: string[];
  /** What is on hand of each variant, after the order has taken its stock. */
  onHand(): Promise<number[]>;
  adjust(line: number, quantity: number): Promise<Answer>;
  /** Has a line's stock tracked or not. */
  track(line: number, tracked: boolean): Promise<Answer>;
}

interface PlaceTaken extends Partial<OrderDraft> {
  spare?: number;
  /** Of a unit of each line; by default 100. */
  prices?: readonly number[];
  /** Whether the variants are not tracked when they are sold. */
  untracked?: boolean;
}

/** Places an order for quantities of new variants, of which `spare` units more are on hand, as a checkout would. */
export async function placeTaken(
  tenant: TestTenant,
  quantities: readonly number[],
  { spare = 2, prices = [], untracked = false, lines = [], ...overrides }: PlaceTaken = {},
): Promise<Stocked> {
  const variants = await Promise.all(quantities.map((quantity) => createVariant(tenant, quantity + spare)));
  if (untracked) for (const { path } of variants) await tenant.staff.patch(path, { tracked: false });
  const sold = quantities.map((quantity, at) => {
    const { variantId, title } = variants[at] as (typeof variants)[number];
    const line = { variantId, productId: newId(), sku: `SKU-${at}`, title, variantTitle: 'M' };
    const unitAmount = prices[at] ?? 100;
    return { ...line, quantity, unitAmount, totalAmount: unitAmount * quantity };
  });
  const all = [...sold, ...lines];
  const total = all.reduce((sum, { totalAmount }) => sum + totalAmount, 0);
  const totals = { subtotal: total, discount: 0, shipping: 0, tax: 0, credit: 0, total };
  const order = await tenant.db.transaction(async (tx) => {
    const draft = draftOf({ lines: all, totals, ...overrides });
    const id = newId();
    const stock = sold.map(({ variantId, quantity }) => ({ variantId, quantity }));
    await takeStock(tx, stock, { type: 'order', id });
    return createOrder(tx, { ...draft, id });
  });
  return {
    order,
    lineIds: order.items.map(({ id }) => id),
    variantIds: variants.map(({ variantId }) => variantId),
    onHand: () => Promise.all(variants.map(async ({ path }) => (await tenant.staff.get(path)).body.onHand)),
    adjust: (line, quantity) =>
      tenant.staff.post(`${variants[line]?.path}/adjustments`, { quantity, reason: 'corrected' }),
    track: (line, tracked) => tenant.staff.patch(variants[line]?.path ?? '', { tracked }),
  };
}

export const unitsOf = (lineItemId: string | undefined, quantity: number) => ({ lineItemId, quantity });

/** Creates a parcel, by default of all that is left. */
export function pack({ staff }: TestTenant, orderId: string, items?: object[], more: object = {}): Promise<Answer> {
  return staff.post(`/admin/orders/${orderId}/fulfillments`, { ...(items && { items }), ...more });
}

/** Does an action on a parcel. */
export function act(
  { staff }: TestTenant,
  action: 'ship' | 'deliver' | 'cancel',
  id: string,
  body?: object,
): Promise<Answer> {
  return staff.post(`/admin/fulfillments/${id}/${action}`, body);
}

/** The states of an order: `placed partially_fulfilled`. */
export async function stateOf({ staff }: TestTenant, orderId: string): Promise<string> {
  const { status, fulfillmentStatus } = (await staff.get(`/admin/orders/${orderId}`)).body;
  return `${status} ${fulfillmentStatus}`;
}

/** Pays an order by bank transfer; returns the path at which units are refunded. */
export async function refundsOf({ staff }: TestTenant, { id, totals }: Order): Promise<string> {
  const paid = { amount: totals.total, method: 'bank_transfer' };
  const { body } = await staff.post(`/admin/orders/${id}/payments`, paid);
  return `/admin/payments/${body.id}/refunds`;
}

/** An order that is paid, with what is on hand of its lines once all events are delivered. */
export async function placePaid(
  box: TestBox,
  quantities: readonly number[],
  more: Parameters<typeof placeTaken>[2] = { spare: 0 },
) {
  const stocked = await placeTaken(box, quantities, more);
  const path = await refundsOf(box, stocked.order);
  return {
    ...stocked,
    refund: (body?: object) => box.staff.post(path, body),
    stock: async () => {
      await untilDelivered(box);
      return stocked.onHand();
    },
    cancel: () => box.staff.post(`/admin/orders/${stocked.order.id}/cancel`),
  };
}
