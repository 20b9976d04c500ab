/**
 * Whose cart it is, and the SQL condition of the active one.
 */
import type { ShopperSession } from '@carton/runtime';

/** The owner of a cart: a guest by session hash, or a member by id. */
export interface Owner {
  by: 'session' | 'member';
  key: string;
}

/** The owner of a session's cart; null for a guest without a session. */
export function ownerOf({ memberId, hash }: Pick<ShopperSession, 'memberId' | 'hash'>): Owner | null {
  if (memberId) return { by: 'member', key: memberId };
  return hash === null ? null : { by: 'session', key: hash };
}

/** Builds one SQL text per kind of owner; `$2` is the owner's key. */
export function forOwner(text: (activeCart: string) => string): Record<Owner['by'], string> {
  return {
    session: text(`carts.tenant_id = $1 and carts.session_hash = $2 and carts.status = 'active'`),
    member: text(`carts.tenant_id = $1 and carts.member_id = $2 and carts.status = 'active'`),
  };
}
