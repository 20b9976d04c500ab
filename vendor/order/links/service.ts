/**
 * Links by mail to an order, for shoppers without an account: by order number and e-mail address. Numbers can be guessed,
 * so nothing tells whether an order exists: every request is stored and published, and the mail alone differs. The token
 * is created when the mail is sent, which has the only copy; only its hash is stored. Sending again creates another one.
 */
import { countLinkRequest, countWrongToken, inMinutes, newToken } from '@carton/auth';
import { type BoxServices, hashToken, job, publish, type TenantDatabase } from '@carton/runtime';
import { type Order, orderOf } from '../present.ts';
import { ordersByNumber } from '../search/numbers.ts';
import { orders } from '../store.ts';
import { orderLookupRequested } from './events.ts';
import { orderLinkUnknown } from './problems.ts';
import { deletedAtOnce, deleteExpired, findLink, findRequest, insertLink, insertRequest } from './store.ts';

const realm = 'order';
/** Also of the request: a mail that is sent late has less time left. */
const linkMinutes = 24 * 60;

type Client = Pick<BoxServices, 'db' | 'client'>;

/** Requests a link. An unknown order has the same effect and takes the same time. @throws too_many_requests (429) */
export async function requestOrderLink(
  { db, client }: Client,
  { number, email }: { number: string; email: string },
): Promise<void> {
  const emailKey = email.toLowerCase();
  await db.transaction(async (tx) => {
    await countLinkRequest(tx, { realm, account: emailKey, address: client.address });
    const expiresAt = inMinutes(linkMinutes);
    const requestId = await insertRequest(tx, { number: number.trim(), emailKey, expiresAt });
    await publish(tx, orderLookupRequested, { type: 'order_link', id: requestId }, { requestId, expiresAt });
  });
}

/**
 * Creates the token of a requested link, for the mail that contains it.
 * @returns null if the request has expired, or if no order has this number and address
 */
export async function issueOrderLink(
  db: TenantDatabase,
  requestId: string,
): Promise<{ order: Order; token: string; expiresAt: string } | null> {
  const request = await findRequest(db, requestId);
  const found = request ? await ordersByNumber(db, request.number) : [];
  const row = found.find(({ email }) => email.toLowerCase() === request?.emailKey);
  if (!request || !row) return null;
  const token = newToken('ord');
  await insertLink(db, request, { orderId: row.id, tokenHash: hashToken(token) });
  return { order: orderOf(row), token, expiresAt: request.expiresAt };
}

/**
 * The order that a link's token opens, with all of the shopper's data. The link works until it expires, unless the order
 * has got another e-mail address. Other packages let the holder of the token act on the order by this function.
 * @throws order_link_unknown (404), too_many_requests (429)
 */
export async function openOrderLink({ db, client }: Client, token: string): Promise<Order> {
  const link = await findLink(db, hashToken(token));
  if (!link) {
    await countWrongToken(db, { realm, token: 'link', address: client.address });
    throw orderLinkUnknown();
  }
  const row = await orders.find(db, link.orderId);
  if (!row || row.email.toLowerCase() !== link.emailKey) throw orderLinkUnknown();
  return orderOf(row);
}

export async function deleteExpiredLinks(db: TenantDatabase): Promise<void> {
  while ((await deleteExpired(db)) === deletedAtOnce);
}

/**
 * Each use of a link checks the expiry by itself; the job keeps the table small and forgets the addresses of requests.
 */
export const forgetExpiredLinks = job({
  name: 'order.forget-expired-links',
  everySeconds: 3600,
  run: deleteExpiredLinks,
});
