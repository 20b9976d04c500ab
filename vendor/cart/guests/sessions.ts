/**
 * What sessions of releases without signatures have: their carts, and what other packages know by these.
 */
import { extensionPoint, type SessionData, type TenantDatabase } from '@carton/runtime';
import { hasCartOfBefore, moveToSession } from './store.ts';

/** Moves what a package stores for the session of these carts to another session, in the transaction that moves the carts. */
export type CartSessionMove = (tx: TenantDatabase, cartIds: readonly string[], to: string) => Promise<unknown>;
export const cartSessionMoves = extensionPoint<CartSessionMove>('cart.session-moves');

export const cartsOfSessions: SessionData = {
  isKnown: hasCartOfBefore,
  async move(tx, from, to) {
    const ids = await moveToSession(tx, from, to);
    for (const move of cartSessionMoves.of(tx)) await move(tx, ids, to);
    return ids.length > 0;
  },
};
