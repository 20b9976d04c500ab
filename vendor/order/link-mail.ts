/**
 * The mail with the link to an order. It gets its token when it is sent: neither events nor stored mails contain it.
 */
import { findStore } from '@carton/core';
import { DateTime, defineMail, nullable, object, type Static, Type } from '@carton/runtime';
import { orderLookupRequested } from './events.ts';
import { issueOrderLink } from './links.ts';
import { greeting, MailedOrder, mailedOrderOf, sampleOrder } from './mails.ts';
import { orderSettings } from './settings.ts';

const LinkData = object({
  order: MailedOrder,
  link: nullable(Type.String({ description: 'Null if the store has not set the page for it' })),
  token: Type.String(),
  expiresAt: DateTime,
});

export const orderLinkMail = defineMail<typeof LinkData>({
  key: orderLookupRequested.type,
  summary: 'To the e-mail address of an order, when someone looks the order up by its number and this address',
  audience: 'shopper',
  secret: true,
  opens: 'order:write',
  data: LinkData,
  sample: {
    order: sampleOrder,
    link: 'https://www.example.com/order?token=ord_sample',
    token: 'ord_sample',
    expiresAt: '2026-03-01T12:00:00.000Z',
  },
  subject: 'Your order {{ order.number }}',
  text: `${greeting}

see your order {{ order.number }} here:

{% if link %}{{ link }}{% else %}Token: {{ token }}{% endif %}

Valid until {{ expiresAt | date }}, {{ expiresAt | time }}. Pass it on to nobody: it shows your address.

If you have not requested this, do nothing.
`,
  html: `<p>${greeting}</p>
{% if link %}<p><a href="{{ link }}">See your order {{ order.number }}</a></p>{% else %}<p>Your order {{ order.number }}. Token: {{ token }}</p>{% endif %}
<p>Valid until {{ expiresAt | date }}, {{ expiresAt | time }}. Pass it on to nobody: it shows your address.</p>
<p>If you have not requested this, do nothing.</p>`,
  event: orderLookupRequested,
  async compose(db, { payload }) {
    const { requestId } = payload as Static<typeof orderLookupRequested.payload>;
    const issued = await issueOrderLink(db, requestId);
    if (!issued) return null;
    const { order, token, expiresAt } = issued;
    const link = orderSettings.of(await findStore(db)).lookupUrl?.replace('{token}', token) ?? null;
    return {
      to: order.customer.email,
      locale: order.locale,
      data: { order: mailedOrderOf(order), link, token, expiresAt },
    };
  },
});
