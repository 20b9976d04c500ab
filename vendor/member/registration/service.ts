/**
 * Rules of registration. An address may be registered by another person than the one who reads its mail: by an attacker
 * who waits for the owner's click. So the password and the profile of a registration count only where the link is used in
 * the session that registered, or with that password. Nothing tells whether an address has an account: every registration
 * hashes the password, stores the request and publishes its event, and the response is the same. The mail that the event
 * causes differs: an unknown address gets a link, the owner of an account a notice (mails.ts).
 */
import { countLinkRequest, countWrongToken, hashPassword, normalizeEmail, verifyPassword } from '@carton/auth';
import { type BoxServices, hashToken, type ServicesFor, type TenantDatabase } from '@carton/runtime';
import { verifyAccount } from '../accounts.ts';
import { realm, sessionHashOf } from '../credentials.ts';
import { proveChange } from '../email/service.ts';
import { isSameSession, requestLink } from '../links/service.ts';
import { consumeLink, findLink, type LinkRow, type Profile, removeRegistrations } from '../links/store.ts';
import { linkUnknown } from '../problems.ts';
import { endAccess, lockEmail } from '../store.ts';
import type { RegisterMember } from './schemas.ts';

type Client = Pick<BoxServices, 'db' | 'client'>;
type Shopper = Pick<ServicesFor<'session'>, 'db' | 'client' | 'session' | 'headers' | 'cookies'>;

/**
 * Stores a registration. Its credentials count once the address is verified by the link that the mail contains; a later
 * registration of the same address replaces it and its link.
 * @throws too_many_requests (429)
 */
export async function register(
  { db, client, session }: Pick<Shopper, 'db' | 'client' | 'session'>,
  { email, password, name = null, phone = null, locale = null, acceptsMarketing = false }: RegisterMember,
): Promise<void> {
  const account = normalizeEmail(email);
  await countLinkRequest(db, { realm, account, address: client.address });
  // Hashing is slow: do it before the transaction, while no row is locked.
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    await removeRegistrations(tx, account);
    const profile = { name, phone, locale, acceptsMarketing };
    await requestLink(tx, 'registration', {
      email: account,
      passwordHash,
      profile,
      sessionHash: session.begin(),
    });
  });
}

/** Sends the link of the latest registration again, or one for an unverified account. @throws too_many_requests (429) */
export async function requestVerification({ db, client }: Client, email: string): Promise<void> {
  const account = normalizeEmail(email);
  await db.transaction(async (tx) => {
    await countLinkRequest(tx, { realm, account, address: client.address });
    await requestLink(tx, 'verification', { email: account });
  });
}

/**
 * Verifies an address by the token of a link: of a registration, of an account, or of a new address for an account.
 * @param password sets the password of the account, or proves who requested the change of the address
 * @throws verification_unknown (404), password_required (403), wrong_password (403), member_email_taken (409),
 * too_many_requests (429)
 */
export async function verifyEmail(shopper: Shopper, token: string, password: string | undefined): Promise<void> {
  const { db, client } = shopper;
  const link = await findLink(db, hashToken(token), ['registration', 'verification', 'email_change']);
  if (!link) {
    await countWrongToken(db, { realm, token: 'verification', address: client.address });
    throw linkUnknown();
  }
  const prove =
    link.purpose === 'email_change'
      ? await proveChange(shopper, link, password)
      : await proveCredentials(shopper, link, password);
  await db.transaction(prove);
}

/** Checks what the reader of the mail has shown to be theirs. Hashes passwords, so no row may be locked. */
async function proveCredentials(shopper: Shopper, link: LinkRow, password: string | undefined) {
  const { session } = shopper;
  const isRegistrant =
    isSameSession(link, session) || (password !== undefined && (await verifyPassword(password, link.passwordHash)));
  const shown: Shown = {
    passwordHash: password === undefined ? (isRegistrant ? link.passwordHash : null) : await hashPassword(password),
    profile: isRegistrant ? link.profile : unproven(link.profile),
    memberId: session.memberId,
    sessionHash: sessionHashOf(shopper),
  };
  return (tx: TenantDatabase) => proveAddress(tx, link, shown);
}

interface Shown {
  /** The password that counts from now on; null if none was shown to be the reader's. */
  passwordHash: string | null;
  profile: Profile | null;
  /** The member who is logged in. */
  memberId: string | null;
  sessionHash: string | null;
}

/** Of a profile that another person may have entered: its language, in which the mail was read. */
export function unproven(profile: Profile | null): Profile | null {
  return profile && { name: null, phone: null, locale: profile.locale, acceptsMarketing: false };
}

/**
 * Verifies the address of a registration, or of an account that is not verified. Passwords and sessions of before end,
 * except those of a member who is logged in. An account without a password gets a link to set one.
 */
async function proveAddress(tx: TenantDatabase, link: LinkRow, shown: Shown): Promise<void> {
  const { email, purpose, createdAt } = link;
  const member = await lockEmail(tx, email);
  if (!(await consumeLink(tx, link))) throw linkUnknown();
  const isOpen = member ? member.status === 'active' && member.emailVerifiedAt === null : purpose === 'registration';
  if (!isOpen) throw linkUnknown();
  const isOwn = member !== null && member.id === shown.memberId;
  const passwordHash = shown.passwordHash ?? (isOwn ? member.passwordHash : null);
  const account = await verifyAccount(tx, member, { email, passwordHash, profile: shown.profile, statedAt: createdAt });
  await endAccess(tx, account, isOwn ? shown.sessionHash : null);
  if (account.passwordHash === null) await requestLink(tx, 'password_reset', { email });
}
