/**
 * Rules of a member's own account.
 */
import { guardPassword, hashPassword, verifyPassword, wrongPassword } from '@carton/auth';
import {
  invalidField,
  type ServicesFor,
  type TenantDatabase,
  unauthenticated,
  writtenTaxNumber,
} from '@carton/runtime';
import { consentOf, publishUpdate } from '../accounts.ts';
import { memberCookies, type OwnAttempt, ownAttempt, sessionHashOf } from '../credentials.ts';
import { eraseMember } from '../members/service.ts';
import type { Member } from '../schemas.ts';
import { endAccess, lockOwnMember, type MemberRow, members } from '../store.ts';
import type { ChangeOwnMember } from './schemas.ts';

type LoggedIn = Pick<ServicesFor<'member'>, 'db' | 'session' | 'client' | 'cookies' | 'headers'>;

/** The member who is logged in. @throws unauthenticated (401) if the account has just been deleted */
export async function readOwnMember(db: TenantDatabase, memberId: string): Promise<MemberRow> {
  const member = await members.find(db, memberId);
  if (!member) throw unauthenticated();
  return member;
}

/**
 * Changes the member's profile, consent or password. A new password requires the current one and ends all other
 * sessions.
 * @throws invalid_request (400), wrong_password (403), too_many_requests (429)
 */
export async function changeOwnMember(caller: LoggedIn, change: ChangeOwnMember): Promise<Member> {
  const { password, currentPassword, ...rest } = change;
  if (password === undefined && currentPassword !== undefined)
    throw invalidField('/password', 'is required with currentPassword');
  if (password !== undefined && currentPassword === undefined)
    throw invalidField('/currentPassword', 'is required for a new password');
  const taxNumber = writtenTaxNumber(change.taxNumber, '/taxNumber');
  const { db, session } = caller;
  const { id } = await readOwnMember(db, session.memberId);
  const replaced = password === undefined ? null : await checkPassword(caller, currentPassword as string, password);
  return db.transaction(async (tx) => {
    const before = await lockOwnMember(tx, id);
    // Replaces only the verified password, not one that a reset link has set in the meantime.
    if (replaced && before.passwordHash !== replaced.before) throw wrongPassword();
    const { acceptsMarketing, ...profile } = rest;
    const consent = consentOf(before.acceptsMarketing, acceptsMarketing, 'account');
    const changed = await members.change(tx, id, {
      ...profile,
      taxNumber,
      ...consent,
      ...(replaced && { passwordHash: replaced.after }),
    });
    if (replaced) {
      await endAccess(tx, changed, sessionHashOf(caller));
      await replaced.guard.succeeded(tx);
    }
    return publishUpdate(tx, changed);
  });
}

/** Hashes the new password if the current one is right. */
async function checkPassword(caller: LoggedIn, current: string, password: string) {
  const { db, session } = caller;
  const { email, passwordHash: before } = await readOwnMember(db, session.memberId);
  // A stolen session must not allow faster guessing than the log-in.
  const guard = await guardPassword(db, ownAttempt(caller, email));
  if (!(await verifyPassword(current, before))) throw wrongPassword();
  return { guard, before, after: await hashPassword(password) };
}

/**
 * Erases the caller's own data and account, which needs the password.
 * @throws wrong_password (403), too_many_requests (429), erasure_hindered (409)
 */
export async function eraseOwnMember(
  caller: Pick<ServicesFor<'member'>, 'db' | 'session'> & OwnAttempt,
  password: string,
): Promise<void> {
  const { db, session, cookies } = caller;
  const { id, email, passwordHash } = await readOwnMember(db, session.memberId);
  const guard = await guardPassword(db, ownAttempt(caller, email));
  if (!(await verifyPassword(password, passwordHash))) throw wrongPassword();
  await db.transaction(async (tx) => {
    await guard.succeeded(tx);
    await eraseMember(tx, id);
  });
  memberCookies.clearSession(cookies);
}
