/**
 * Password reset. The event that requests a link contains no secret: an outbox is copied, stored and delivered to
 * subscribers, none of whom may gain access to the account. The sender of the message obtains the secret when it sends
 * the link, so the message is the only copy.
 */
import { type BoxServices, hashToken, publish, type TenantDatabase } from '@carton/runtime';
import { countLinkRequest, countWrongToken, trustAddress, trustDevice } from '../attempts/service.ts';
import { staffCookies } from '../cookies.ts';
import { consumeLink, findLinkOwner, type LinkRecipient, removeExpiredLinks } from '../link-store.ts';
import { inMinutes, newToken, normalizeEmail } from '../secrets.ts';
import { endAccess, updateStaff } from '../store.ts';
import { passwordResetRequested } from './events.ts';
import { hashPassword } from './hashes.ts';
import { resetUnknown } from './problems.ts';
import { insertRequest, setSecret } from './store.ts';

const linkMinutes = 30;

type Client = Pick<BoxServices, 'db' | 'client'>;

/**
 * Requests a link. An unknown address has the same effect and takes the same time, so that the response time does not
 * reveal whether the account exists.
 */
export async function requestPasswordReset({ db, client }: Client, email: string): Promise<void> {
  const account = normalizeEmail(email);
  await db.transaction(async (transaction) => {
    await countLinkRequest(transaction, { realm: 'staff', account, address: client.address });
    await removeExpiredLinks(transaction);
    const expiresAt = inMinutes(linkMinutes);
    const requestId = await insertRequest(transaction, account, expiresAt);
    await publish(transaction, passwordResetRequested, { type: 'staff_link', id: requestId }, { requestId, expiresAt });
  });
}

/**
 * Creates the secret of the link that a `staff.password_reset_requested` event requests, for the package that sends it.
 * A further call, such as the retry of a message, creates a new secret and invalidates the former.
 * @returns the secret and its recipient; null if the request is used or expired, or no active account has its address
 */
export async function issuePasswordReset(
  db: TenantDatabase,
  requestId: string,
): Promise<(LinkRecipient & { token: string }) | null> {
  const token = newToken('rst');
  const recipient = await setSecret(db, requestId, hashToken(token));
  return recipient && { ...recipient, token };
}

/**
 * Sets a new password by the secret of a link, and ends all sessions and other links of the owner. The device and its
 * address become trusted, so that the owner can log in during an attack.
 * @throws password_reset_unknown (404), too_many_requests (429)
 */
export async function resetPassword(
  { db, client, cookies }: Client & Pick<BoxServices, 'cookies'>,
  token: string,
  password: string,
): Promise<void> {
  const tokenHash = hashToken(token);
  const id = await findLinkOwner(db, tokenHash, 'password_reset');
  if (id === null) {
    await countWrongToken(db, { realm: 'staff', token: 'password reset', address: client.address });
    throw resetUnknown();
  }
  // Hashing is slow: do it before the transaction, while no row is locked.
  const passwordHash = await hashPassword(password);
  const { account, device } = await db.transaction(async (transaction) => {
    const staff = await updateStaff(transaction, { id, status: 'active' }, { passwordHash });
    if (!staff || !(await consumeLink(transaction, tokenHash, 'password_reset'))) throw resetUnknown();
    await endAccess(transaction, id);
    const account = staff.email;
    const attempt = {
      realm: 'staff',
      account,
      address: client.address,
      device: staffCookies.readDevice(cookies, account),
    };
    await trustAddress(transaction, attempt);
    return { account, device: await trustDevice(transaction, attempt) };
  });
  staffCookies.setDevice(cookies, account, device);
}
