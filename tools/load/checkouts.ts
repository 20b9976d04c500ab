/**
 * Prepares carts in the database and checks them out under load.
 */
import { createHash } from 'node:crypto';
import type { openDatabase } from '@carton/runtime/service';
import { SessionKeys } from '@carton/runtime/testing';
import { load } from './load.ts';
import type { LoadTenant } from './tenant.ts';

export const clients = 8;
/** The body of every checkout. */
export const checkoutBody = JSON.stringify({
  customer: { email: 'ada@example.com', name: 'Ada Lovelace', address: '1 Main Street' },
});

export const cartIdPrefix = '0198f000-0000-7000-8000-';

/** The id of the nth cart. */
export function cartIdOf(number: number): string {
  return `${cartIdPrefix}${number.toString(16).padStart(12, '0')}`;
}

/** The id of a line of the nth cart: lines of all carts have the same order, which is that of their ids. */
function lineIdOf(number: number, position: number): string {
  return `0198f1${position.toString(16).padStart(2, '0')}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** The session of the nth cart. */
export function sessionOf(number: number): { name: string; hash: string } {
  const name = createHash('sha256').update(`cart ${number}`).digest('base64url');
  return { name, hash: createHash('sha256').update(name).digest('hex') };
}

/** The session token of the nth cart, as its shopper sends it. */
export type TokenOf = (number: number) => string;

/** The headers of a checkout. */
export function cartHeaders(tenantHeaders: Record<string, string>, token: string): Record<string, string> {
  return { ...tenantHeaders, 'content-type': 'application/json', 'x-session-id': token };
}

/** Inserts carts with one unit of each of the tenant's variants. Returns the tokens of their sessions. */
export async function prepareCarts(
  database: ReturnType<typeof openDatabase>,
  { tenantId, variants }: LoadTenant,
  numbers: readonly number[],
  hashOf: (number: number) => string = (number) => sessionOf(number).hash,
): Promise<TokenOf> {
  const ids = numbers.map(cartIdOf);
  const db = database.forTenant(tenantId);
  await db.query(
    `insert into carts (tenant_id, id, session_hash, currency)
     select $1, id, hash, 'EUR' from unnest($2::uuid[], $3::text[]) as prepared (id, hash)`,
    [ids, numbers.map(hashOf)],
  );
  await db.query(
    `insert into cart_line_items (tenant_id, id, cart_id, variant_id, quantity)
     select $1, id, cart_id, variant_id, 1 from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as prepared (id, cart_id, variant_id)`,
    [
      numbers.flatMap((number) => variants.map((_, position) => lineIdOf(number, position))),
      numbers.flatMap((number) => variants.map(() => cartIdOf(number))),
      numbers.flatMap(() => variants),
    ],
  );
  const keys = new SessionKeys(database);
  await keys.ready();
  return (number) => keys.issue(tenantId, sessionOf(number).name);
}

/**
 * Checks out `count` carts, beginning with the cart `from`. Returns orders per second.
 * @param tenantHeaders headers that name the tenant of the nth cart, on a box with several
 * @throws Error unless each cart became an order
 */
export async function checkOut(
  url: string,
  tokenOf: TokenOf,
  from: number,
  count: number,
  tenantHeaders: (number: number) => Record<string, string> = () => ({}),
): Promise<number> {
  const { seconds, statuses } = await load({
    clients: Math.min(clients, count),
    requests: count,
    request: (number) => ({
      url: `${url}/checkout`,
      method: 'POST',
      headers: cartHeaders(tenantHeaders(from + number), tokenOf(from + number)),
      body: checkoutBody,
    }),
  });
  if (statuses[201] !== count) throw new Error(`not every checkout returned 201: ${JSON.stringify(statuses)}`);
  return count / seconds;
}
