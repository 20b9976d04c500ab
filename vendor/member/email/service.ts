/**
 * Rules for changing the e-mail address of an account: the new address gets a link, the old one a notice. The reader of
 * the mail may be another person, whose address the member has entered. So the link works only for the member: otherwise
 * the click would give the member the guest orders of that person, or that person the account.
 */
import { countLinkRequest, guardPassword, normalizeEmail, verifyPassword, wrongPassword } from '@carton/auth';
import { proveEmail, type ServicesFor, type TenantDatabase } from '@carton/runtime';
import { readOwnMember } from '../account/service.ts';
import { publishUpdate } from '../accounts.ts';
import { memberCookies, type OwnAttempt, ownAttempt, realm } from '../credentials.ts';
import { isSameSession, requestLink } from '../links/service.ts';
import { consumeLink, type LinkRow, removeLinksTo } from '../links/store.ts';
import { emailTaken, linkUnknown, passwordRequired } from '../problems.ts';
import { lockEmail, members } from '../store.ts';

/**
 * Requests a link to the new address. The response does not tell whether another member has the address.
 * @throws wrong_password (403), too_many_requests (429)
 */
export async function requestEmailChange(
  caller: Pick<ServicesFor<'member'>, 'db' | 'session'> & OwnAttempt,
  { email, password }: { email: string; password: string },
): Promise<void> {
  const { db, session, client } = caller;
  const account = normalizeEmail(email);
  const member = await readOwnMember(db, session.memberId);
  // A stolen session must not allow faster guessing than the log-in.
  const guard = await guardPassword(db, ownAttempt(caller, member.email));
  if (!(await verifyPassword(password, member.passwordHash))) throw wrongPassword();
  await db.transaction(async (tx) => {
    await guard.succeeded(tx);
    await countLinkRequest(tx, { realm, account, address: client.address });
    await requestLink(tx, 'email_change', { email: account, memberId: member.id, sessionHash: session.hash });
  });
}

/**
 * Checks that a link is used by the member who requested it: where the member is logged in, in the session of the
 * request, or with the password. Returns the change.
 * @throws password_required (403), wrong_password (403), too_many_requests (429)
 */
export async function proveChange(
  { db, session, client, cookies }: Pick<ServicesFor<'session'>, 'db' | 'session' | 'client' | 'cookies'>,
  link: LinkRow,
  password: string | undefined,
): Promise<(tx: TenantDatabase) => Promise<void>> {
  const change = (tx: TenantDatabase) => proveChangedEmail(tx, link);
  if (session.memberId === link.memberId || isSameSession(link, session)) return change;
  if (password === undefined) throw passwordRequired('Log in first, or send the password of the account.');
  const member = await readOwnMember(db, link.memberId as string);
  const device = memberCookies.readDevice(cookies, member.email);
  const guard = await guardPassword(db, { realm, account: member.email, address: client.address, device });
  if (!(await verifyPassword(password, member.passwordHash))) throw wrongPassword();
  return async (tx) => {
    await change(tx);
    await guard.succeeded(tx);
  };
}

/** Gives an account the address of a link. @throws verification_unknown (404), member_email_taken (409) */
async function proveChangedEmail(tx: TenantDatabase, link: LinkRow): Promise<void> {
  const { email } = link;
  const memberId = link.memberId as string;
  const owner = await lockEmail(tx, email);
  const [member] = await members.lockAllBy(tx, { id: memberId });
  if (member?.status !== 'active' || !(await consumeLink(tx, link))) throw linkUnknown();
  if (owner && owner.id !== memberId) throw emailTaken();
  if (member.email !== email) {
    // Links to the old address no longer give access to the account.
    await removeLinksTo(tx, member.email);
    await requestLink(tx, 'email_changed', { email: member.email, memberId });
  }
  await publishUpdate(tx, await members.change(tx, memberId, { email, emailVerifiedAt: new Date().toISOString() }));
  await proveEmail(tx, { memberId, email });
}
