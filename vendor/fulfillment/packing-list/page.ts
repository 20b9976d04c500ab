/**
 * The packing list of a parcel as a page to print.
 */
import { findStore, type Store } from '@carton/core';
import { addressLines, findOrder, type Order, pageWords, shownVariantTitle } from '@carton/order';
import {
  dateTimeFormat,
  fillPhrase,
  type Html,
  type HtmlDocument,
  html,
  inLanguages,
  renderPage,
  type TenantDatabase,
  translationFor,
} from '@carton/runtime';
import { findOrderShipping, type OrderShippingMethods } from '@carton/shipping';
import type { Fulfillment } from '../parcels/schemas.ts';
import { readFulfillment } from '../parcels/service.ts';
import { packingPhrases } from './phrases.ts';

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

const translations = inLanguages((language) => ({ ...pageWords[language], ...packingPhrases[language] }));
type Phrases = (typeof translations)['en'];

/** The page, in the language of the store. */
function renderPackingList(
  parcel: Fulfillment,
  order: Order,
  pickup: Pickup,
  { name, logoUrl, defaultLocale, timeZone }: StoreOnPage,
): HtmlDocument {
  const units = parcel.items.reduce((sum, { quantity }) => sum + quantity, 0);
  const { language, formats, texts } = translationFor(translations, [defaultLocale]);
  const date = dateTimeFormat(formats, { dateStyle: 'long', timeZone }).format(new Date(order.createdAt));
  return renderPage({
    language,
    title: `${texts.packingList} ${order.number}-${parcel.number} – ${name}`,
    images: logoUrl === null ? [] : [logoUrl],
    body: html`<main>
<header>
${logoUrl === null ? html`<p class="store">${name}</p>` : html`<img src="${logoUrl}" alt="${name}">`}
<p class="badge">${texts[parcel.status]}</p>
</header>
<h1>${texts.packingList}</h1>
<p class="soft">${fillPhrase(texts.parcel, { parcel: parcel.number, number: html`<bdi>${order.number}</bdi>`, date: html`<bdi>${date}</bdi>` })}</p>
${factsOf(parcel, order, pickup, texts, formats)}
<table>
<thead><tr><th scope="col">${texts.item}</th><th scope="col" class="nowrap">${texts.sku}</th><th scope="col" class="number">${texts.quantity}</th></tr></thead>
<tbody>${parcel.items.map((item) => rowOf(item, order, texts))}
</tbody>
</table>
<table class="totals"><tbody><tr class="sum"><th scope="row">${texts.units}</th><td class="number">${units}</td></tr></tbody></table>
${order.notes !== null && html`<section class="note"><h2>${texts.note}</h2><p><bdi>${order.notes}</bdi></p></section>`}
</main>`,
  });
}

function factsOf(
  { shippingMethod, tracking }: Fulfillment,
  order: Order,
  pickup: Pickup,
  texts: Phrases,
  locale: string,
): Html {
  const { name, phone, address } = order.customer;
  const destination = pickup ? [pickup.name, ...addressLines(pickup.address, locale)] : addressLines(address, locale);
  const method = [shippingMethod?.name ?? null, ...tracking.map((each) => `${each.carrier} ${each.number}`)];
  const facts: [title: string, lines: readonly (string | null)[]][] = [
    [pickup ? texts.pickedUpAt : texts.shipTo, destination],
    [texts.contact, [name, phone]],
    [texts.shipping, method],
  ];
  return html`<section class="facts">${facts.map(([title, lines]) => {
    const shown = lines.filter((line) => line !== null);
    return (
      shown.length > 0 && html`<div><h2>${title}</h2>${shown.map((line) => html`<p><bdi>${line}</bdi></p>`)}</div>`
    );
  })}</section>`;
}

function rowOf(
  { lineItemId, title, variantTitle, sku, quantity }: Fulfillment['items'][number],
  order: Order,
  texts: Phrases,
): Html {
  const properties = Object.entries(order.items.find(({ id }) => id === lineItemId)?.properties ?? {});
  const variant = shownVariantTitle(variantTitle);
  return html`
<tr><th scope="row"><bdi>${title}</bdi>${variant !== null && html`<div class="soft"><bdi>${variant}</bdi></div>`}${properties.map(
    ([name, value]) =>
      html`<div class="soft">${fillPhrase(texts.labelled, { label: html`<bdi>${name}</bdi>`, value: html`<bdi>${textOf(value, texts)}</bdi>` })}</div>`,
  )}</th><td class="nowrap"><bdi>${sku ?? '–'}</bdi></td><td class="number">${quantity}</td></tr>`;
}

function textOf(value: unknown, { yes, no }: Phrases): string {
  if (typeof value === 'boolean') return value ? yes : no;
  return String(value);
}
