/**
 * Queries of payments of carts, and of what providers have told.
 */
import { json, money, newId, type TenantDatabase } from '@carton/runtime';
import type { InitiatedPayment, PaymentIntent, ProviderEvent, ProviderPayment, ProviderState } from './adapter.ts';
import type { CaptureMode } from './methods.ts';
import type { PaymentRow } from './store.ts';

/**
 * A payment of a cart, which becomes the payment of the order under the same id; or one of an order from the start.
 * Amounts are minor units.
 */
export interface SessionRow {
  id: string;
  /** Null for that of an order that is paid later, by its link. */
  cartId: string | null;
  orderId: string | null;
  provider: string;
  method: string;
  captureMode: CaptureMode;
  currency: string;
  amount: number;
  /** Null until the provider has answered. */
  reference: string | null;
  nextAction: InitiatedPayment['nextAction'];
  status: 'open' | 'used' | 'given_up';
  /** What the provider says of it. */
  state: ProviderState;
  /** When it was begun, taken up, or last heard of. */
  updatedAt: string;
}

/** A session that the provider knows of. */
export type BegunSession = SessionRow & { reference: string };

export function providerPaymentOf({ id, reference, method, amount, currency }: BegunSession): ProviderPayment {
  return { id, reference, method, amount: money(amount, currency) };
}

const checkInAMinute = "check_at = now() + interval '1 minute', checks = 0";

export type NewSession = Pick<SessionRow, 'provider' | 'method' | 'captureMode'> &
  Pick<PaymentIntent, 'amount'> & { cartId: string };

/** The session of a cart that is open, or that its order has taken over, locked; null when it has none. */
export async function lockSessionOfCart(tx: TenantDatabase, cartId: string): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(
    "select * from payment_sessions where tenant_id = $1 and cart_id = $2 and status <> 'given_up' for update",
    [cartId],
  );
  return row ?? null;
}

/** Opens a session; null when another request has just opened one for the cart. */
export async function insertSession(tx: TenantDatabase, session: NewSession): Promise<SessionRow | null> {
  const { cartId, provider, method, captureMode, amount } = session;
  const [row] = await tx.query<SessionRow>(
    `insert into payment_sessions (tenant_id, id, cart_id, provider, method, capture_mode, currency, amount)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (tenant_id, cart_id) where status <> 'given_up' do nothing returning *`,
    [newId(), cartId, provider, method, captureMode, amount.currency, amount.amount],
  );
  return row ?? null;
}

/** Writes the session of a payment that its order has from the start, and that the provider is still to be told of. */
export async function insertSessionOfOrder(tx: TenantDatabase, payment: PaymentRow): Promise<SessionRow> {
  const { id, orderId, provider, method, captureMode, currency, amount } = payment;
  const [row] = await tx.query<SessionRow>(
    `insert into payment_sessions (tenant_id, id, order_id, status, provider, method, capture_mode, currency, amount,
                                   check_at)
     values ($1, $2, $3, 'used', $4, $5, $6, $7, $8, now() + interval '1 minute') returning *`,
    [id, orderId, provider, method, captureMode, currency, amount],
  );
  return row as SessionRow;
}

/** Keeps what the provider answered, of the payment of an order in both places; the first answer stays. */
export async function keepInitiated(
  db: TenantDatabase,
  session: Pick<SessionRow, 'id' | 'orderId'>,
  initiated: InitiatedPayment,
): Promise<void> {
  const { id, orderId } = session;
  if (orderId === null) return keepOnSession(db, id, initiated);
  await db.transaction(async (tx) => {
    await keepOnSession(tx, id, initiated);
    await tx.query(
      `update payments set reference = $3, updated_at = now() where tenant_id = $1 and id = $2 and reference is null`,
      [id, initiated.reference],
    );
  });
}

async function keepOnSession(
  db: TenantDatabase,
  id: string,
  { reference, nextAction }: InitiatedPayment,
): Promise<void> {
  await db.query(
    `update payment_sessions set reference = $3, next_action = $4, updated_at = now()
      where tenant_id = $1 and id = $2 and reference is null`,
    [id, reference, nextAction && json(nextAction)],
  );
}

/** Takes up a session that is open and locked: its time begins anew. */
export async function prolongSession(tx: TenantDatabase, id: string): Promise<SessionRow> {
  const [row] = await tx.query<SessionRow>(
    'update payment_sessions set updated_at = now() where tenant_id = $1 and id = $2 returning *',
    [id],
  );
  return row as SessionRow;
}

/** Marks an open session as given up, unless it was heard of in so many seconds; call `abandonSession`. */
export async function giveUpSession(
  tx: TenantDatabase,
  id: string,
  seconds: number | null,
): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(
    `update payment_sessions set status = 'given_up', ${checkInAMinute}, updated_at = now()
      where tenant_id = $1 and id = $2 and status = 'open'
        and ($3::integer is null or updated_at < now() - make_interval(secs => $3))
     returning *`,
    [id, seconds],
  );
  return row ?? null;
}

export async function findSession(db: TenantDatabase, id: string): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>('select * from payment_sessions where tenant_id = $1 and id = $2', [id]);
  return row ?? null;
}

/** A session, locked until the transaction ends; null for an unknown id. */
export async function lockSession(tx: TenantDatabase, id: string): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(
    'select * from payment_sessions where tenant_id = $1 and id = $2 for update',
    [id],
  );
  return row ?? null;
}

export async function markUsed(tx: TenantDatabase, id: string, orderId: string): Promise<void> {
  await tx.query(
    `update payment_sessions set status = 'used', order_id = $3, ${checkInAMinute}, updated_at = now()
      where tenant_id = $1 and id = $2`,
    [id, orderId],
  );
}

/** Ids of some open sessions that nothing was heard of for so many seconds, those that wait longest first. */
export async function expiredSessions(db: TenantDatabase, seconds: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from payment_sessions
      where tenant_id = $1 and status = 'open' and updated_at < now() - make_interval(secs => $2)
      order by updated_at limit 200`,
    [seconds],
  );
  return rows.map(({ id }) => id);
}

/**
 * Takes some of the sessions whose time to be looked after has come, so that nobody else does for a while: half a
 * minute after the first time, and twice as long each time, up to a day.
 */
export function takeDueSessions(db: TenantDatabase, most: number): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `update payment_sessions
        set checks = checks + 1, check_at = now() + least(interval '30 seconds' * 2 ^ least(checks, 16), interval '1 day')
      where tenant_id = $1 and id in (
        select id from payment_sessions where tenant_id = $1 and check_at <= now()
         order by check_at limit $2 for update skip locked)
     returning *`,
    [most],
  );
}

/** Has a session looked after in a minute, unless whoever asks for it ends that before. */
export async function checkSoon(db: TenantDatabase, id: string): Promise<void> {
  await db.query(`update payment_sessions set ${checkInAMinute} where tenant_id = $1 and id = $2`, [id]);
}

/** Nothing more is expected of a session. */
export async function endChecks(db: TenantDatabase, id: string): Promise<void> {
  await db.query('update payment_sessions set check_at = null where tenant_id = $1 and id = $2', [id]);
}

const order: readonly ProviderState['status'][] = ['pending', 'failed', 'authorized', 'captured', 'voided'];

/**
 * Keeps what a provider says of a session that is locked, and answers what is known now: news that is older than what
 * was known says nothing.
 */
export async function keepState(
  tx: TenantDatabase,
  { id, state }: SessionRow,
  news: ProviderState,
): Promise<ProviderState> {
  const merged: ProviderState = {
    status: order.indexOf(news.status) > order.indexOf(state.status) ? news.status : state.status,
    captured: Math.max(state.captured, news.captured),
    refunded: Math.max(state.refunded, news.refunded),
  };
  await tx.query('update payment_sessions set state = $3, updated_at = now() where tenant_id = $1 and id = $2', [
    id,
    json(merged),
  ]);
  return merged;
}

/**
 * Stores an event of a provider. False when it is there already; one that another transaction is storing is waited for.
 */
export async function insertWebhookEvent(
  tx: TenantDatabase,
  provider: string,
  { id, payment }: ProviderEvent,
): Promise<boolean> {
  const inserted = await tx.query(
    `insert into payment_webhook_events (tenant_id, provider, event_id, payment_id, state)
     values ($1, $2, $3, $4, $5) on conflict do nothing returning event_id`,
    [provider, id, payment?.id ?? null, payment ? json(payment.state) : null],
  );
  return inserted.length > 0;
}
