/**
 * Queries of payment sessions and webhook events.
 */
import { json, newId, type TenantDatabase } from '@carton/runtime';
import type { InitiatedPayment, PaymentIntent, ProviderState } from '../adapters/adapter.ts';
import type { PaymentRow } from '../payments/store.ts';
import type { CaptureMode } from '../schemas.ts';

/**
 * A payment of a cart, which later becomes its order's payment under the same id, or of an existing order. Amounts are
 * minor units.
 */
export interface SessionRow {
  id: string;
  /** Null for a payment of an existing order. */
  cartId: string | null;
  orderId: string | null;
  provider: string;
  method: string;
  captureMode: CaptureMode;
  currency: string;
  amount: number;
  /** Null until the provider has responded. */
  reference: string | null;
  nextAction: InitiatedPayment['nextAction'];
  status: 'open' | 'used' | 'given_up';
  /** The state that the provider last reported. */
  state: ProviderState;
  /** When it was opened, resumed or last reported on. */
  updatedAt: string;
}

/** A session whose payment the provider has created. */
export type StartedSession = SessionRow & { reference: string };

const checkInAMinute = "check_at = now() + interval '1 minute', checks = 0";

export type NewSession = Pick<SessionRow, 'provider' | 'method' | 'captureMode'> &
  Pick<PaymentIntent, 'amount'> & { cartId: string };

/** A cart's session, open or used by its order, locked; null when it has none. */
export async function lockCartSession(tx: TenantDatabase, cartId: string): Promise<SessionRow | null> {
  const [row] = await tx.query<SessionRow>(
    "select * from payment_sessions where tenant_id = $1 and cart_id = $2 and status <> 'given_up' for update",
    [cartId],
  );
  return row ?? null;
}

/** Opens a session; null when a concurrent request has opened one for the cart. */
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

/** Inserts the session of an order's payment before the provider is called. */
export async function insertOrderSession(tx: TenantDatabase, payment: PaymentRow): Promise<SessionRow> {
  const { id, orderId, provider, method, captureMode, currency, amount } = payment;
  const [row] = await tx.query<SessionRow>(
    `insert into payment_sessions (tenant_id, id, order_id, status, provider, method, capture_mode, currency, amount,
                                   check_at)
     values ($1, $2, $3, 'used', $4, $5, $6, $7, $8, now() + interval '1 minute') returning *`,
    [id, orderId, provider, method, captureMode, currency, amount],
  );
  return row as SessionRow;
}

/** Stores the provider's response, for an order's payment in both tables; the first response wins. */
export async function storeInitiated(
  db: TenantDatabase,
  session: Pick<SessionRow, 'id' | 'orderId'>,
  initiated: InitiatedPayment,
): Promise<void> {
  const { id, orderId } = session;
  if (orderId === null) return storeOnSession(db, id, initiated);
  await db.transaction(async (tx) => {
    await storeOnSession(tx, id, initiated);
    await tx.query(
      `update payments set reference = $3, updated_at = now() where tenant_id = $1 and id = $2 and reference is null`,
      [id, initiated.reference],
    );
  });
}

async function storeOnSession(
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

/** Restarts the lifetime of an open, locked session. */
export async function extendSession(tx: TenantDatabase, id: string): Promise<SessionRow> {
  const [row] = await tx.query<SessionRow>(
    'update payment_sessions set updated_at = now() where tenant_id = $1 and id = $2 returning *',
    [id],
  );
  return row as SessionRow;
}

/** Marks an open session as given up, unless it was updated within `seconds`. Callers use `abandonSession`. */
export async function markAbandoned(
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

/** Locks a session until the transaction ends; null for an unknown id. */
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

/** Ids of up to 200 open sessions not updated for `seconds`, longest waiting first. */
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
 * Claims up to `most` sessions whose check is due. The claim sets the next check: after half a minute, then twice as
 * long each time, up to a day.
 */
export function claimDueSessions(db: TenantDatabase, most: number): Promise<SessionRow[]> {
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

/** Claims the open payments of an order that were not looked up in the last seconds. */
export function claimAwaited(db: TenantDatabase, orderId: string, seconds: number): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    `update payment_sessions set looked_up_at = now()
      where tenant_id = $1 and coalesce(looked_up_at < now() - make_interval(secs => $3), true)
        and id in (select id from payments where tenant_id = $1 and order_id = $2 and status = 'pending')
     returning *`,
    [orderId, seconds],
  );
}

/** Schedules a check in a minute, unless the caller ends the checks before. */
export async function scheduleCheck(db: TenantDatabase, id: string): Promise<void> {
  await db.query(`update payment_sessions set ${checkInAMinute} where tenant_id = $1 and id = $2`, [id]);
}

/** No further check is needed. */
export async function endChecks(db: TenantDatabase, id: string): Promise<void> {
  await db.query('update payment_sessions set check_at = null where tenant_id = $1 and id = $2', [id]);
}

/** Stores what the provider has reported of a locked session. */
export async function storeState(tx: TenantDatabase, id: string, state: ProviderState): Promise<void> {
  await tx.query('update payment_sessions set state = $3, updated_at = now() where tenant_id = $1 and id = $2', [
    id,
    json(state),
  ]);
}

/** Which of these carts have an open session. */
export async function cartsBeingPaid(tx: TenantDatabase, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ cartId: string }>(
    `select cart_id from payment_sessions
      where tenant_id = $1 and cart_id = any($2::uuid[]) and status <> 'given_up' and status = 'open'`,
    [ids],
  );
  return rows.map(({ cartId }) => cartId);
}
