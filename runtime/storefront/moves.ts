/**
 * Moves of storefront pages: a package whose resource gets another handle reports it, and those who keep redirects or
 * caches follow. Packages do not know each other.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';

/** Paths from the root of the storefront: `/products/linen-shirt`. */
export interface AddressMove {
  readonly from: string;
  readonly to: string;
}

/** Called in the transaction of the move. */
export type AddressMoveListener = (tx: TenantDatabase, move: AddressMove) => Promise<void>;

export const addressMoveListeners = extensionPoint<AddressMoveListener>('storefront.moves');

/** Reports that a public page has another address, in the transaction that changes it. */
export async function moveAddress(tx: TenantDatabase, move: AddressMove): Promise<void> {
  if (move.from === move.to) return;
  for (const listener of addressMoveListeners.of(tx)) await listener(tx, move);
}
