/**
 * Rules of forgotten passwords. The event that asks for a link to be sent carries no secret: outboxes are copied, kept
 * and delivered to others, and who reads one must not be able to become its owner. Whoever sends the link asks for its
 * secret at that moment, so that it stands in the message alone.
 */
import { type BoxServices, hashToken, type TenantDatabase } from '@carton/runtime';
import { countLinkRequest, guardToken, knowAddress, knowDevice } from './attempts.ts';
import { readDeviceCookie, setDeviceCookie } from './cookies.ts';
import {
  findLinkOwner,
  insertLinkRequest,
  type LinkRecipient,
  removeExpiredLinks,
  setLinkSecret,
  takeLink,
} from './links.ts';
import { hashPassword } from './password.ts';
import { resetUnknown } from './problems.ts';
import type { StaffUser } from './schemas.ts';
import { inMinutes, newToken, normalizeEmail } from './secrets.ts';
import { endAccess } from './store.ts';

const linkMinutes = 30;

type Asked = Pick<BoxServices, 'db' | 'client'>;

/** Asks for a link to be sent. What is done, and how long it takes, is the same for an address that nobody has. */
export async function requestPasswordReset({ db, client }: Asked, email: string): Promise<void> {
  const account = normalizeEmail(email);
  await db.transaction(async (transaction) => {
    await countLinkRequest(transaction, { realm: 'staff', account, address: client.address });
    await removeExpiredLinks(transaction);
    await insertLinkRequest(transaction, account, inMinutes(linkMinutes));
  });
}

/**
 * For whoever sends the link of a `staff.password_reset_requested` event: makes its secret, and says who to send it to.
 * Called again, as after a message that may not have left, it makes another and the former is worth nothing.
 * @returns null when there is nothing to send any more: expired, used, or the account is disabled
 */
export async function issuePasswordReset(
  db: TenantDatabase,
  requestId: string,
): Promise<(LinkRecipient & { token: string }) | null> {
  const token = newToken('rst');
  const recipient = await setLinkSecret(db, requestId, hashToken(token));
  return recipient && { ...recipient, token };
}

/**
 * Sets a new password by the secret of a link, and ends every session and other link of its owner. The device that it is
 * used on, and its address, are known to the account from then on: this is the way in for whoever is kept from the
 * log-in by the guesses of others.
 * @throws password_reset_unknown (404), too_many_requests (429)
 */
export async function resetPassword(
  { db, client, cookies }: Asked & Pick<BoxServices, 'cookies'>,
  token: string,
  password: string,
): Promise<void> {
  const guard = await guardToken(db, { realm: 'staff', address: client.address });
  const tokenHash = hashToken(token);
  const id = await findLinkOwner(db, tokenHash);
  if (id === null) throw resetUnknown();
  // Hashed before the transaction: it takes long, and nobody should wait for it holding a row.
  const passwordHash = await hashPassword(password);
  const { account, device } = await db.transaction(async (transaction) => {
    const patch = { passwordHash, updatedAt: new Date() };
    const [staff] = await transaction.update<StaffUser>('staff_users', { id, status: 'active' }, patch);
    if (!staff || !(await takeLink(transaction, tokenHash))) throw resetUnknown();
    await endAccess(transaction, id);
    await guard.succeeded(transaction);
    const account = staff.email;
    const attempt = { realm: 'staff', account, address: client.address, device: readDeviceCookie(cookies, account) };
    await knowAddress(transaction, attempt);
    return { account, device: await knowDevice(transaction, attempt) };
  });
  setDeviceCookie(cookies, account, device);
}
