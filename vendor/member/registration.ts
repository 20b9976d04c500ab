/**
 * Rules of registration. Nothing tells whether an address has an account: every registration hashes the password, stores
 * the request and publishes its event, and the response is the same. The mail that the event causes differs: an unknown
 * address gets a link, the owner of an account a notice (mails.ts).
 */
import { countLinkRequest, countWrongToken, hashPassword, normalizeEmail } from '@carton/auth';
import { type BoxServices, hashToken, type TenantDatabase } from '@carton/runtime';
import { realm } from './access.ts';
import { verifyAccount } from './accounts.ts';
import { proveChangedEmail } from './email.ts';
import { consumeLink, findLink, type LinkRow, removeRegistrations, requestLink } from './links.ts';
import { linkUnknown } from './problems.ts';
import type { RegisterMember } from './schemas.ts';
import { endAccess, lockEmail } from './store.ts';

type Client = Pick<BoxServices, 'db' | 'client'>;

/**
 * Stores a registration. Its credentials count once the address is verified by the link that the mail contains; a later
 * registration of the same address replaces it and its link.
 * @throws too_many_requests (429)
 */
export async function register(
  { db, client }: Client,
  { email, password, name = null, phone = null, locale = null, acceptsMarketing = false }: RegisterMember,
): Promise<void> {
  const account = normalizeEmail(email);
  await countLinkRequest(db, { realm, account, address: client.address });
  // Hashing is slow: do it before the transaction, while no row is locked.
  const passwordHash = await hashPassword(password);
  await db.transaction(async (tx) => {
    await removeRegistrations(tx, account);
    const profile = { name, phone, locale, acceptsMarketing };
    await requestLink(tx, 'registration', { email: account, passwordHash, profile });
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
 * Verifies an address by the token of a link: of a registration, whose credentials count from now on, of an account, or
 * of a new address for an account.
 * @throws verification_unknown (404), member_email_taken (409), too_many_requests (429)
 */
export async function verifyEmail({ db, client }: Client, token: string): Promise<void> {
  const link = await findLink(db, hashToken(token), ['registration', 'verification', 'email_change']);
  if (!link) {
    await countWrongToken(db, { realm, token: 'verification', address: client.address });
    throw linkUnknown();
  }
  await db.transaction((tx) =>
    link.purpose === 'email_change' ? proveChangedEmail(tx, link) : proveAddress(tx, link),
  );
}

/** Verifies the address of a registration, or of an account that is not verified. */
async function proveAddress(tx: TenantDatabase, link: LinkRow): Promise<void> {
  const { email, passwordHash, profile, purpose, createdAt } = link;
  const member = await lockEmail(tx, email);
  if (!(await consumeLink(tx, link))) throw linkUnknown();
  const isOpen = member ? member.status === 'active' && member.emailVerifiedAt === null : purpose === 'registration';
  if (!isOpen) throw linkUnknown();
  const account = await verifyAccount(tx, member, { email, passwordHash, profile, statedAt: createdAt });
  if (passwordHash !== null) await endAccess(tx, account);
}
