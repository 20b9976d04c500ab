/**
 * Password reset. A reset link proves the address like a verification link, so that neither blocks the other: it also
 * completes a registration whose address is not verified.
 */
import {
  countLinkRequest,
  countWrongToken,
  hashPassword,
  normalizeEmail,
  resetUnknown,
  trustAddress,
  trustDevice,
} from '@carton/auth';
import { type BoxServices, hashToken, type ServicesFor } from '@carton/runtime';
import { verifyAccount } from '../accounts.ts';
import { memberCookies, realm } from '../credentials.ts';
import { isSameSession, requestLink } from '../links/service.ts';
import { consumeLink, findLink, findRegistration } from '../links/store.ts';
import { unproven } from '../registration/service.ts';
import { endAccess, lockEmail } from '../store.ts';

type Client = Pick<BoxServices, 'db' | 'client'>;
type Shopper = Pick<ServicesFor<'session'>, 'db' | 'client' | 'cookies' | 'session'>;

/** Requests a link. An unknown address has the same effect and takes the same time. @throws too_many_requests (429) */
export async function requestPasswordReset({ db, client }: Client, email: string): Promise<void> {
  const account = normalizeEmail(email);
  await db.transaction(async (tx) => {
    await countLinkRequest(tx, { realm, account, address: client.address });
    await requestLink(tx, 'password_reset', { email: account });
  });
}

/**
 * Sets a new password by the token of a link, verifies the address, and ends all sessions and other links of the
 * member. The device and its address become trusted, so that the member can log in while others guess.
 * @throws password_reset_unknown (404), too_many_requests (429)
 */
export async function resetPassword(
  { db, client, cookies, session }: Shopper,
  token: string,
  password: string,
): Promise<void> {
  const link = await findLink(db, hashToken(token), ['password_reset']);
  if (!link) {
    await countWrongToken(db, { realm, token: 'password reset', address: client.address });
    throw resetUnknown();
  }
  // Hashing is slow: do it before the transaction, while no row is locked.
  const passwordHash = await hashPassword(password);
  const { email } = link;
  const device = await db.transaction(async (tx) => {
    const member = await lockEmail(tx, email);
    const registration = member ? null : await findRegistration(tx, email);
    const isOpen = member ? member.status === 'active' : registration !== null;
    if (!isOpen || !(await consumeLink(tx, link))) throw resetUnknown();
    const { profile: stated = null, createdAt } = registration ?? link;
    const profile = registration && isSameSession(registration, session) ? stated : unproven(stated);
    const account = await verifyAccount(tx, member, { email, passwordHash, profile, statedAt: createdAt });
    await endAccess(tx, account);
    const attempt = {
      realm,
      account: email,
      address: client.address,
      device: memberCookies.readDevice(cookies, email),
    };
    await trustAddress(tx, attempt);
    return trustDevice(tx, attempt);
  });
  memberCookies.setDevice(cookies, email, device);
}
