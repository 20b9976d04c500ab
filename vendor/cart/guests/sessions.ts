/**
 * What sessions of releases without signatures have: their carts, and what other packages know by these.
 */
import { extensionPoint, type SessionData, type TenantDatabase } from '@carton/runtime';

/** Moves what a package stores for the session of these carts to another session, in the transaction that moves the carts. */
export type CartSessionMove = (tx: TenantDatabase, cartIds: readonly string[], to: string) => Promise<unknown>;
export const cartSessionMoves = extensionPoint<CartSessionMove>('cart.session-moves');

export const cartsOfSessions: SessionData = {
  async isKnown(db, hash, before) {
    const found = await db.query(
      'select id from carts where tenant_id = $1 and session_hash = $2 and created_at < $3 limit 1',
      [hash, before],
    );
    return found.length > 0;
  },
  async move(tx, from, to) {
    const carts = await tx.query<{ id: string }>(
      'update carts set session_hash = $3 where tenant_id = $1 and session_hash = $2 returning id',
      [from, to],
    );
    const ids = carts.map(({ id }) => id);
    for (const move of cartSessionMoves.of(tx)) await move(tx, ids, to);
    return ids.length > 0;
  },
};
