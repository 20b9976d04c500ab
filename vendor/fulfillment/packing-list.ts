/**
 * The packing list of a parcel as a page to print.
 */
import { findStore, type Store } from '@carton/core';
import { addressLines, findOrder, type Order } from '@carton/order';
import { dateTimeFormat, type Html, type HtmlDocument, html, renderPage, type TenantDatabase } from '@carton/runtime';
import { findOrderShipping, type OrderShippingMethods } from '@carton/shipping';
import type { Fulfillment } from './schemas.ts';
import { readFulfillment } from './service.ts';

/** @throws not_found (404) */
export async function readPackingList(db: TenantDatabase, id: string): Promise<HtmlDocument> {
  const parcel = await readFulfillment(db, id);
  const [order, shipping, store] = [
    (await findOrder(db, parcel.orderId)) as Order,
    await findOrderShipping(db, parcel.orderId),
    await findStore(db),
  ];
  const method = shipping.items.find(
    ({ optionId, profile }) =>
      optionId === parcel.shippingMethod?.optionId && profile === parcel.shippingMethod.profile,
  );
  return renderPackingList(parcel, order, method?.pickupLocation ?? null, store);
}

type Pickup = OrderShippingMethods['items'][number]['pickupLocation'];
type StoreOnPage = Pick<Store, 'name' | 'logoUrl' | 'defaultLocale' | 'timeZone'>;

const statuses: Readonly<Record<Fulfillment['status'], string>> = {
  pending: 'To be packed',
  shipped: 'Shipped',
  delivered: 'Delivered',
  canceled: 'Canceled',
};

/** The page, in the language of the store as far as dates and countries go. */
export function renderPackingList(
  parcel: Fulfillment,
  order: Order,
  pickup: Pickup,
  { name, logoUrl, defaultLocale: locale, timeZone }: StoreOnPage,
): HtmlDocument {
  const units = parcel.items.reduce((sum, { quantity }) => sum + quantity, 0);
  const date = dateTimeFormat(locale, { dateStyle: 'long', timeZone }).format(new Date(order.createdAt));
  return renderPage({
    language: 'en',
    title: `Packing list ${order.number}-${parcel.number} – ${name}`,
    images: logoUrl === null ? [] : [logoUrl],
    body: html`<main>
<header>
${logoUrl === null ? html`<p class="store">${name}</p>` : html`<img src="${logoUrl}" alt="${name}">`}
<p class="badge">${statuses[parcel.status]}</p>
</header>
<h1>Packing list</h1>
<p class="soft">Parcel ${parcel.number} of order <bdi>${order.number}</bdi>, placed on <bdi>${date}</bdi></p>
${factsOf(parcel, order, pickup, locale)}
<table>
<thead><tr><th scope="col">Item</th><th scope="col" class="nowrap">SKU</th><th scope="col" class="number">Quantity</th></tr></thead>
<tbody>${parcel.items.map((item) => rowOf(item, order))}
</tbody>
</table>
<table class="totals"><tbody><tr class="sum"><th scope="row">Units</th><td class="number">${units}</td></tr></tbody></table>
${order.notes !== null && html`<section class="note"><h2>Note of the shopper</h2><p><bdi>${order.notes}</bdi></p></section>`}
</main>`,
  });
}

function factsOf({ shippingMethod, tracking }: Fulfillment, order: Order, pickup: Pickup, locale: string): Html {
  const { name, phone, address } = order.customer;
  const destination = pickup ? [pickup.name, ...addressLines(pickup.address, locale)] : addressLines(address, locale);
  const method = [shippingMethod?.name ?? null, ...tracking.map((each) => `${each.carrier} ${each.number}`)];
  const facts: [title: string, lines: readonly (string | null)[]][] = [
    [pickup ? 'Picked up at' : 'Ship to', destination],
    ['Contact', [name, phone]],
    ['Shipping', method],
  ];
  return html`<section class="facts">${facts.map(([title, lines]) => {
    const shown = lines.filter((line) => line !== null);
    return (
      shown.length > 0 && html`<div><h2>${title}</h2>${shown.map((line) => html`<p><bdi>${line}</bdi></p>`)}</div>`
    );
  })}</section>`;
}

function rowOf({ lineItemId, title, variantTitle, sku, quantity }: Fulfillment['items'][number], order: Order): Html {
  const properties = Object.entries(order.items.find(({ id }) => id === lineItemId)?.properties ?? {});
  // The default variant of a product without options has no title worth showing.
  const variant = variantTitle !== null && variantTitle !== 'Default' && variantTitle;
  return html`
<tr><th scope="row"><bdi>${title}</bdi>${variant && html`<div class="soft"><bdi>${variant}</bdi></div>`}${properties.map(
    ([name, value]) => html`<div class="soft"><bdi>${name}</bdi>: <bdi>${textOf(value)}</bdi></div>`,
  )}</th><td class="nowrap"><bdi>${sku ?? '–'}</bdi></td><td class="number">${quantity}</td></tr>`;
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return String(value);
}
