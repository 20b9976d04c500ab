/**
 * The mail with the link to an order. It gets its token when it is sent: neither events nor stored mails contain it.
 */
import { findStore } from '@carton/core';
import {
  DateTime,
  defineMail,
  fullStop,
  mailTexts,
  nullable,
  object,
  type Static,
  Type,
  tokenLabel,
  validUntil,
} from '@carton/runtime';
import { greeting, MailedOrder, mailToShopper, sampleOrder } from '../notices/mailed-order.ts';
import { orderPhrases } from '../notices/phrases.ts';
import { orderLookupRequested } from './events.ts';
import { issueOrderLink } from './service.ts';
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
  ...mailTexts(orderPhrases, ({ yourOrder, seeOrder, seeOrderHere, passOn, notRequested }, language) => {
    const [hello, token] = [greeting[language], `${tokenLabel[language]}{{ token }}`];
    const until = `${validUntil('expiresAt')[language]}${fullStop[language]} ${passOn}`;
    return {
      subject: yourOrder,
      text: `${hello}\n\n${seeOrderHere}\n\n{% if link %}{{ link }}{% else %}${token}{% endif %}\n\n${until}\n\n${notRequested}\n`,
      html: `<p>${hello}</p>
{% if link %}<p><a href="{{ link }}">${seeOrder}</a></p>{% else %}<p>${yourOrder}${fullStop[language]} ${token}</p>{% endif %}
<p>${until}</p>
<p>${notRequested}</p>`,
    };
  }),
  event: orderLookupRequested,
  async compose(db, { payload }) {
    const { requestId } = payload as Static<typeof orderLookupRequested.payload>;
    const issued = await issueOrderLink(db, requestId);
    if (!issued) return null;
    const { order, token, expiresAt } = issued;
    const link = orderSettings.of(await findStore(db)).lookupUrl?.replace('{token}', token) ?? null;
    return mailToShopper(order, { link, token, expiresAt });
  },
});
