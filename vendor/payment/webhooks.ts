/**
 * Call-backs of providers. The event is stored, and what it says is taken over, in one transaction before the answer:
 * one that was not answered comes again, one that was answered changes nothing when it does.
 */
import { lockOrder, type OrderState } from '@carton/order';
import { notFound, type TenantDatabase } from '@carton/runtime';
import type { ProviderEvent, WebhookDelivery } from './adapter.ts';
import { absorb } from './bookkeeping.ts';
import { adapterOf } from './bound.ts';
import { release } from './release.ts';
import { checkSoon, insertWebhookEvent, keepState, lockSession } from './session-store.ts';
import { carryOutPending } from './steps.ts';
import { lockPayment } from './store.ts';

/**
 * Takes a provider's event in.
 * @throws not_found (404) for a provider that no adapter speaks for, webhook_signature_invalid (400)
 */
export async function receiveWebhook(db: TenantDatabase, provider: string, delivery: WebhookDelivery): Promise<void> {
  const adapter = adapterOf(db, provider);
  if (!adapter) throw notFound(`No payment provider called ${provider} is set up.`);
  const event = await adapter.readWebhook(db, delivery);
  const after = await db.transaction((tx) => takeIn(tx, provider, event));
  // The event is kept; what follows from it can be done later as well.
  await after?.(db).catch(() => {});
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Following = (db: TenantDatabase) => Promise<void>;

/** Stores an event and does what it says; answers what follows once that is committed. */
async function takeIn(tx: TenantDatabase, provider: string, event: ProviderEvent): Promise<Following | null> {
  if (!(await insertWebhookEvent(tx, provider, event)) || !event.payment) return null;
  const { id, state } = event.payment;
  // An account with a provider may serve other shops than this one: what is not ours is none of our business.
  const session = uuid.test(id) ? await lockSession(tx, id) : null;
  if (session?.provider !== provider) return null;
  if (session.orderId !== null) {
    const order = (await lockOrder(tx, session.orderId)) as OrderState;
    await absorb(tx, order, await lockPayment(tx, id), state);
    return (db) => carryOutPending(db, id);
  }
  const known = await keepState(tx, session, state);
  const isHeld = known.status === 'authorized' || known.captured > known.refunded;
  if (session.status !== 'given_up' || !isHeld) return null;
  await checkSoon(tx, id);
  return (db) => release(db, { ...session, state: known });
}
