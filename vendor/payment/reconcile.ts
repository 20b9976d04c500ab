/**
 * What crashes, lost answers and lost call-backs have left is found and ended by the box itself:
 *
 * - a payment that no order comes of within its time is given up, and its money let go (`release`);
 * - a payment of an order that is not ended is looked up at its provider, again and again at growing intervals;
 * - a payment that is open while its order is canceled, or paid otherwise, is voided;
 * - a step that nobody is at is done again, under its id.
 *
 * All of it may be cut off at any place, and done by two processes at once.
 */
import { findOrder, lockOrder, type Order, type OrderState } from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import { ask, type ProviderState } from './adapter.ts';
import { paymentSettings } from './adapters/settings.ts';
import { absorb } from './bookkeeping.ts';
import { adapterOf, boundAdapters, noOperationAdapter } from './bound.ts';
import { learnReference, letGo } from './release.ts';
import { abandonSession } from './session-hooks.ts';
import { endChecks, expiredSessions, providerPaymentOf, type SessionRow, takeDueSessions } from './session-store.ts';
import { carryOutPending, voidPayment } from './steps.ts';
import { lockPayment, paymentsLeftPending, paymentsOfOrder, requirePayment } from './store.ts';

/** So many calls to providers at once, and so many milliseconds in which new ones are begun. */
const atOnce = 4;
const longest = 20_000;

/** Looks after the payments of a shop, as far as it gets in its time. What fails is tried another time. */
export async function reconcile(db: TenantDatabase): Promise<void> {
  if (boundAdapters(db)[0] === noOperationAdapter) return;
  const end = performance.now() + longest;
  const { sessionLifetime } = paymentSettings.of(db);
  const expired = await expiredSessions(db, sessionLifetime);
  await inBatches(
    end,
    async () => expired.splice(0, atOnce),
    (id) => expire(db, id, sessionLifetime),
  );
  await inBatches(
    end,
    () => takeDueSessions(db, atOnce),
    (session) => lookAfter(db, session),
  );
  const left = await paymentsLeftPending(db);
  await inBatches(
    end,
    async () => left.splice(0, atOnce),
    (id) => carryOutPending(db, id),
  );
}

/** Works on batch after batch until there is none or the time is over. */
async function inBatches<T>(end: number, next: () => Promise<T[]>, work: (item: T) => Promise<void>): Promise<void> {
  while (performance.now() < end) {
    const batch = await next();
    if (batch.length === 0) return;
    await Promise.all(batch.map((item) => work(item).catch(() => {})));
  }
}

/** Gives up a session whose time is over; each in a transaction of its own, so that one that fails holds up no other. */
async function expire(db: TenantDatabase, id: string, lifetime: number): Promise<void> {
  const session = await db.transaction((tx) => abandonSession(tx, id, lifetime));
  if (session) await letGo(db, session);
}

/** @throws as the provider does */
async function lookAfter(db: TenantDatabase, session: SessionRow): Promise<void> {
  if (session.orderId === null) return letGo(db, session);
  if (await isEnded(db, session.id)) return endChecks(db, session.id);
  await lookUp(db, session as OrderSession);
  await carryOutPending(db, session.id);
  if (await isNotOwed(db, session as OrderSession)) await voidOpen(db, session.id);
  if (await isEnded(db, session.id)) await endChecks(db, session.id);
}

/** True when nothing more is expected to happen by itself: it is paid or given up, or staff see to it. */
async function isEnded(db: TenantDatabase, id: string): Promise<boolean> {
  const { status } = await requirePayment(db, id);
  return status === 'captured' || status === 'voided';
}

type OrderSession = SessionRow & { orderId: string };

/** What comes by hand may still come for an order that was paid otherwise: staff see to it. */
async function isNotOwed(db: TenantDatabase, { orderId, provider }: OrderSession): Promise<boolean> {
  const { status, balance } = (await findOrder(db, orderId)) as Order;
  return status === 'canceled' || (balance.amount <= 0 && !adapterOf(db, provider)?.byHand);
}

/** Takes over what the provider says of the payment of an order. */
async function lookUp(db: TenantDatabase, session: OrderSession): Promise<void> {
  const { id, provider, orderId } = session;
  const adapter = adapterOf(db, provider);
  if (!adapter || adapter.byHand) return;
  const begun = await learnReference(db, adapter, session);
  const state: ProviderState = begun
    ? await ask(() => adapter.confirm(db, providerPaymentOf(begun)))
    : { status: 'voided', captured: 0, refunded: 0 };
  await db.transaction(async (tx) => {
    const order = (await lockOrder(tx, orderId)) as OrderState;
    await absorb(tx, order, await lockPayment(tx, id), state);
  });
}

async function voidOpen(db: TenantDatabase, id: string): Promise<void> {
  if (!(await isEnded(db, id))) await voidPayment(db, id, { workId: undefined });
}

/** Voids what is open of a canceled order. @throws as the provider does; `reconcile` tries again */
export async function voidCanceled(db: TenantDatabase, orderId: string): Promise<void> {
  for (const { id, provider } of await paymentsOfOrder(db, orderId)) {
    if (!adapterOf(db, provider)) continue;
    await carryOutPending(db, id);
    await voidOpen(db, id);
  }
}
