/**
 * Webhooks of providers. The event is stored and applied in one transaction before the response: an event without a
 * response is sent again, and a repeated event changes nothing.
 */
import { lockOrder, type OrderState } from '@carton/order';
import { notFound, type TenantDatabase } from '@carton/runtime';
import type { ProviderEvent, ReportedPayment, WebhookDelivery } from '../adapters/adapter.ts';
import { adapterOf } from '../adapters/bound.ts';
import { applyDispute } from '../disputes/service.ts';
import { applyProviderState } from '../payments/bookkeeping.ts';
import { lockPayment } from '../payments/store.ts';
import { settlePending } from '../sessions/pending.ts';
import { tryReleaseSession } from '../sessions/release.ts';
import { mergeState } from '../sessions/state.ts';
import { lockSession, type SessionRow, scheduleCheck } from '../sessions/store.ts';
import { resumePendingStep } from '../steps/service.ts';
import { insertWebhookEvent } from './store.ts';

/**
 * Receives an event of a provider.
 * @throws not_found (404) for a provider without an adapter, webhook_signature_invalid (400), webhook_unreadable (400)
 */
export async function receiveWebhook(db: TenantDatabase, provider: string, delivery: WebhookDelivery): Promise<void> {
  const adapter = adapterOf(db, provider);
  if (!adapter) throw notFound(`No payment provider named ${provider} is configured.`);
  const event = await adapter.readWebhook(db, delivery);
  const after = await db.transaction((tx) => applyEvent(tx, provider, event));
  // The event is stored; `reconcile` completes what follows if this fails.
  await after?.(db).catch(() => {});
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the report is about the payment that the box has started: others may name its id, in a currency of less value. */
function isReported(session: SessionRow, { reference, currency }: ReportedPayment): boolean {
  if (currency !== undefined && currency !== session.currency) return false;
  return reference === undefined || session.reference === null || reference === session.reference;
}

type FollowUp = (db: TenantDatabase) => Promise<void>;

/** Stores an event and applies it. Returns what to do once that is committed. */
async function applyEvent(tx: TenantDatabase, provider: string, event: ProviderEvent): Promise<FollowUp | null> {
  if (!(await insertWebhookEvent(tx, provider, event))) return null;
  if (event.dispute) {
    const paymentId = await applyDispute(tx, provider, event.dispute);
    return paymentId === null ? null : (db) => resumePendingStep(db, paymentId);
  }
  if (!event.payment) return null;
  const { id, state } = event.payment;
  // An account may serve several tenants, and their events concern no payment here.
  const session = uuid.test(id) ? await lockSession(tx, id) : null;
  if (session?.provider !== provider || !isReported(session, event.payment)) return null;
  if (session.orderId !== null) {
    const order = (await lockOrder(tx, session.orderId)) as OrderState;
    await applyProviderState(tx, order, await lockPayment(tx, id), state);
    return async (db) => {
      await resumePendingStep(db, id);
      if (order.status === 'pending') await settlePending(db, order.id);
    };
  }
  const known = await mergeState(tx, session, state);
  const isHeld = known.status === 'authorized' || known.captured > known.refunded;
  if (session.status !== 'given_up' || !isHeld) return null;
  await scheduleCheck(tx, id);
  return (db) => tryReleaseSession(db, { ...session, state: known });
}
