/**
 * Repairs what crashes, lost responses and lost webhooks leave behind:
 *
 * - a payment whose order was not placed in time is abandoned, and its money released (`sessions/release.ts`);
 * - an open payment of an order is looked up at its provider, at growing intervals;
 * - a pending order is placed or canceled as its payments say, and at the end of its time (`sessions/pending.ts`);
 * - an open payment is voided when its order was canceled or paid otherwise, and a captured one refunded when it was
 *   canceled;
 * - a step whose claim has expired is resumed under its id.
 *
 * All of it may stop at any point, and run in two processes concurrently.
 */
import { setTimeout } from 'node:timers/promises';
import { findOrder, type Order } from '@carton/order';
import type { TenantDatabase } from '@carton/runtime';
import { adapterOf, boundAdapters, noOperationAdapter } from './adapters/bound.ts';
import { paymentSettings } from './adapters/settings.ts';
import { abandonSession } from './sessions/hooks.ts';
import { type OrderSession, refreshFromProvider } from './sessions/lookup.ts';
import { settleDuePending, settlePending } from './sessions/pending.ts';
import { releaseSession } from './sessions/release.ts';
import { claimAwaited, claimDueSessions, endChecks, expiredSessions, type SessionRow } from './sessions/store.ts';
import { isFinal, resumePendingStep, voidOpen } from './steps/service.ts';
import { unclaimedPendingPayments } from './steps/store.ts';

/** Concurrent calls to providers, and the milliseconds in which new ones are started. */
const concurrency = 4;
const timeBudget = 20_000;

/** Reconciles the payments of a tenant, as many as its time budget allows. What fails is retried in a later run. */
export async function reconcile(db: TenantDatabase): Promise<void> {
  if (boundAdapters(db)[0] === noOperationAdapter) return;
  const end = performance.now() + timeBudget;
  const { sessionLifetime } = paymentSettings.of(db);
  const expired = await expiredSessions(db, sessionLifetime);
  await inBatches(
    end,
    async () => expired.splice(0, concurrency),
    (id) => expire(db, id, sessionLifetime),
  );
  await inBatches(
    end,
    () => claimDueSessions(db, concurrency),
    (session) => reconcileSession(db, session),
  );
  await settleDuePending(db);
  const unclaimed = await unclaimedPendingPayments(db);
  await inBatches(
    end,
    async () => unclaimed.splice(0, concurrency),
    (id) => resumePendingStep(db, id),
  );
}

/** Processes batches until none is left or the time budget is used up. */
async function inBatches<T>(end: number, next: () => Promise<T[]>, work: (item: T) => Promise<void>): Promise<void> {
  while (performance.now() < end) {
    const batch = await next();
    if (batch.length === 0) return;
    await Promise.all(batch.map((item) => work(item).catch(() => {})));
  }
}

/** Abandons an expired session. Each has a transaction of its own, so that one failure does not block the others. */
async function expire(db: TenantDatabase, id: string, lifetime: number): Promise<void> {
  const session = await db.transaction((tx) => abandonSession(tx, id, lifetime));
  if (session) await releaseSession(db, session);
}

/** @throws as the provider does */
async function reconcileSession(db: TenantDatabase, session: SessionRow): Promise<void> {
  if (session.orderId === null) return releaseSession(db, session);
  if (await isFinal(db, session.id)) return settleAndEnd(db, session as OrderSession);
  await refreshFromProvider(db, session as OrderSession);
  await resumePendingStep(db, session.id);
  if (await isNotOwed(db, session as OrderSession)) await voidOpen(db, session.id);
  await settlePending(db, session.orderId);
  if (await isFinal(db, session.id)) await settleAndEnd(db, session as OrderSession);
}

/** How often a provider is asked while a shopper waits, and how long the shopper's request waits, in seconds. */
const lookUpEvery = 5;
const longestWait = 3;

/**
 * Looks up the open payments of an order whose shopper waits for them: the report of a provider may be late, and a box
 * without a public address receives none. Returns false if nothing was asked. What fails is left to `reconcile`, and a
 * provider that is slow is not waited for.
 */
export async function lookUpAwaited(db: TenantDatabase, orderId: string): Promise<boolean> {
  const sessions = await claimAwaited(db, orderId, lookUpEvery);
  if (sessions.length === 0) return false;
  const lookUps = sessions.map((session) => reconcileSession(db, session).catch(() => {}));
  await Promise.race([Promise.all(lookUps), setTimeout(longestWait * 1000, null, { ref: false })]);
  return true;
}

/** A bank transfer may still arrive for an order that was paid otherwise: staff handle it. */
async function isNotOwed(db: TenantDatabase, { orderId, provider }: OrderSession): Promise<boolean> {
  const { status, balance } = (await findOrder(db, orderId)) as Order;
  return status === 'canceled' || (balance.amount <= 0 && !adapterOf(db, provider)?.byHand);
}

/** An order that waited for this payment is settled before it is no longer looked at. */
async function settleAndEnd(db: TenantDatabase, { id, orderId }: OrderSession): Promise<void> {
  await settlePending(db, orderId);
  await endChecks(db, id);
}
