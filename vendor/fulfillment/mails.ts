/**
 * Mails to shoppers about parcels that were shipped or delivered.
 */
import { findOrder, greeting, MailedOrder, mailToShopper, sampleOrder, shownVariantTitle } from '@carton/order';
import {
  type ComposedMail,
  defineMail,
  type Language,
  type MailEvent,
  type MailTexts,
  mailTexts,
  nullable,
  object,
  type Static,
  type TenantDatabase,
  Type,
} from '@carton/runtime';
import { pickupType } from '@carton/shipping';
import { type FulfillmentPayload, fulfillmentDelivered, fulfillmentShipped } from './parcels/events.ts';
import { fulfillments, withItems } from './parcels/store.ts';
import { parcelPhrases } from './phrases.ts';

const FulfillmentData = object({
  order: MailedOrder,
  fulfillment: object({
    number: Type.Integer({ description: 'Counts the parcels of the order' }),
    items: Type.Array(
      object({ title: Type.String(), variantTitle: nullable(Type.String()), quantity: Type.Integer() }),
    ),
    shippingMethod: nullable(Type.String()),
    isPickup: Type.Boolean({ description: 'Whether the shopper picks it up' }),
    tracking: Type.Array(
      object({ carrier: Type.String(), number: Type.String(), url: nullable(Type.String({ description: 'https' })) }),
    ),
  }),
});
type FulfillmentData = Static<typeof FulfillmentData>;

const number = '00340434292135100186';
const url = `https://www.dhl.com/global-en/home/tracking.html?tracking-id=${number}`;
const sample: FulfillmentData = {
  order: { ...sampleOrder, fulfillmentStatus: 'fulfilled' },
  fulfillment: {
    number: 1,
    items: [{ title: 'Linen shirt', variantTitle: 'M', quantity: 2 }],
    shippingMethod: 'Standard shipping',
    isPickup: false,
    tracking: [{ carrier: 'DHL', number, url }],
  },
};

async function compose(db: TenantDatabase, { resource }: MailEvent): Promise<ComposedMail<FulfillmentData> | null> {
  const row = await fulfillments.find(db, resource.id);
  const [parcel] = row ? await withItems(db, [row]) : [];
  const order = parcel && (await findOrder(db, parcel.orderId));
  if (!order) return null;
  const { items, shippingMethod, tracking } = parcel;
  const fulfillment = {
    number: parcel.number,
    items: items.map(({ title, variantTitle, quantity }) => ({
      title,
      variantTitle: shownVariantTitle(variantTitle),
      quantity,
    })),
    shippingMethod: shippingMethod?.name ?? null,
    isPickup: shippingMethod?.type === pickupType,
    tracking,
  };
  return mailToShopper(order, { fulfillment });
}

/** Staff find the mail under the order, and it is sent after earlier mails about the order. */
const aboutOrder = ({ payload }: MailEvent) => ({ type: 'order', id: (payload as FulfillmentPayload).orderId });

const title = '{{ item.quantity }} × {{ item.title }}{% if item.variantTitle %} ({{ item.variantTitle }}){% endif %}';
const items = {
  text: `{% for item in fulfillment.items %}${title}
{% endfor %}`,
  html: `<ul>{% for item in fulfillment.items %}<li>${title}</li>{% endfor %}</ul>`,
};
const tracking = {
  text: `{% for parcel in fulfillment.tracking %}
{{ parcel.carrier }}: {{ parcel.number }}{% if parcel.url %}
{{ parcel.url }}{% endif %}
{% endfor %}`,
  html: `{% for parcel in fulfillment.tracking %}<p>{{ parcel.carrier }}: {% if parcel.url %}<a href="{{ parcel.url }}">{{ parcel.number }}</a>{% else %}{{ parcel.number }}{% endif %}</p>{% endfor %}`,
};
function textsOf(subject: string, line: string, language: Language): MailTexts {
  return {
    subject,
    text: `${greeting[language]}\n\n${line}\n\n${items.text}${tracking.text}`,
    html: `<p>${greeting[language]}</p>\n<p>${line}</p>\n${items.html}\n${tracking.html}`,
  };
}

export const shippedMail = defineMail<typeof FulfillmentData>({
  key: 'fulfillment.shipped',
  summary: 'To the shopper, when a parcel is shipped or can be picked up',
  audience: 'shopper',
  data: FulfillmentData,
  sample,
  ...mailTexts(parcelPhrases, ({ shippedSubject, shipped }, language) => textsOf(shippedSubject, shipped, language)),
  event: fulfillmentShipped,
  about: aboutOrder,
  compose,
});

export const deliveredMail = defineMail<typeof FulfillmentData>({
  key: 'fulfillment.delivered',
  summary: 'To the shopper, when a parcel is delivered',
  audience: 'shopper',
  data: FulfillmentData,
  sample,
  ...mailTexts(parcelPhrases, ({ deliveredSubject, delivered }, language) =>
    textsOf(deliveredSubject, delivered, language),
  ),
  event: fulfillmentDelivered,
  about: aboutOrder,
  compose,
});
