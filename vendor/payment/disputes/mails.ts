/**
 * Mails about disputes to the staff of a store.
 */
import { findOrder } from '@carton/order';
import {
  type ComposedMail,
  DateTime,
  defineMail,
  type MailEvent,
  Money,
  mailTexts,
  money,
  nullable,
  object,
  oneOf,
  type Static,
  type TenantDatabase,
  Type,
} from '@carton/runtime';
import { disputeStates } from '../schemas.ts';
import { disputeClosed, disputeOpened } from './events.ts';
import { disputePhrases } from './phrases.ts';
import { disputes } from './store.ts';

const DisputeData = object({
  orderNumber: Type.String(),
  status: oneOf(disputeStates),
  reason: nullable(Type.String({ description: "The provider's code, in words" })),
  amount: Money,
  respondBy: nullable(DateTime),
});

type DisputeData = Static<typeof DisputeData>;

const common = { audience: 'staff', toStore: true, data: DisputeData } as const;
const sample: DisputeData = {
  orderNumber: '1001',
  status: 'open',
  reason: 'product not received',
  amount: { amount: 4998, currency: 'EUR' },
  respondBy: '2026-03-08T12:00:00.000Z',
};

async function compose(
  db: TenantDatabase,
  { resource, payload }: MailEvent,
): Promise<ComposedMail<DisputeData> | null> {
  const { orderId, status, amount, currency, respondBy } = payload as Static<typeof disputeOpened.payload>;
  const [order, dispute] = await Promise.all([findOrder(db, orderId), disputes.find(db, resource.id)]);
  if (!order) return null;
  const words = dispute?.reason?.replaceAll('_', ' ') ?? null;
  const data = { orderNumber: order.number, status, reason: words, amount: money(amount, currency), respondBy };
  return { to: null, locale: null, data };
}

export const disputeOpenedMail = defineMail<typeof DisputeData>({
  ...common,
  key: 'dispute.opened',
  summary: "To the staff, when a shopper's bank disputes a payment or inquires about it",
  sample,
  ...mailTexts(disputePhrases, ({ openedSubject, opened, reason, respondBy }) => {
    const sentence = `${opened}{% if reason %}${reason}{% endif %}{% if respondBy %}${respondBy}{% endif %}`;
    return { subject: openedSubject, text: `${sentence}\n`, html: `<p>${sentence}</p>` };
  }),
  event: disputeOpened,
  compose,
});

export const disputeClosedMail = defineMail<typeof DisputeData>({
  ...common,
  key: 'dispute.closed',
  summary: 'To the staff, when a dispute was won, lost or closed',
  sample: { ...sample, status: 'won', respondBy: null },
  ...mailTexts(disputePhrases, ({ closedSubject, closed }) => ({
    subject: closedSubject,
    text: `${closed}\n`,
    html: `<p>${closed}</p>`,
  })),
  event: disputeClosed,
  compose,
});
