/**
 * Rules of members' sessions, which a password opens. Clients send the token as a bearer token or in a cookie.
 */
import {
  guardPassword,
  inMinutes,
  type LogIn,
  newToken,
  normalizeEmail,
  trustDevice,
  verifyPassword,
  wrongLogIn,
} from '@carton/auth';
import { hashToken, logInMember, notFound, type Page, publish, type ServicesFor } from '@carton/runtime';
import { memberCookies, realm, sessionHashOf } from '../credentials.ts';
import { memberLoggedIn } from '../events.ts';
import { members } from '../store.ts';
import type { MemberLogIn } from './schemas.ts';
import { insertSession, memberSessions, removeSession, removeSessionById, type SessionRow } from './store.ts';

const sessionMinutes = 30 * 24 * 60;

/**
 * Opens a session of a member and closes the one whose token the request sends. In the same transaction every package
 * moves the data of the guest to the member; then the guest's session is rotated. A token in a cookie is not also
 * returned. The device becomes trusted if it can store its token: in a cookie, or by itself if it sends `device`.
 * @throws wrong_login (401), the same for an unknown or unverified address, a wrong password and a disabled account,
 * too_many_requests (429)
 */
export async function logIn(
  {
    db,
    session,
    client,
    ...secrets
  }: Pick<ServicesFor<'session'>, 'db' | 'session' | 'client' | 'headers' | 'cookies'>,
  { email, password, cookie = false, device: sentDevice }: LogIn,
): Promise<MemberLogIn> {
  const { cookies } = secrets;
  const account = normalizeEmail(email);
  const attempt = {
    realm,
    account,
    address: client.address,
    device: sentDevice ?? memberCookies.readDevice(cookies, account),
  };
  const guard = await guardPassword(db, attempt);
  const member = await members.findBy(db, { email: account });
  const isCorrect = await verifyPassword(password, member?.passwordHash ?? null);
  if (!member || !isCorrect) throw wrongLogIn(unverifiedHint);
  const token = newToken('mbs');
  const expiresAt = inMinutes(sessionMinutes);
  const before = sessionHashOf(secrets);
  const storesDevice = cookie || sentDevice !== undefined;
  const trusted = await db.transaction(async (tx) => {
    const sessionId = await insertSession(tx, member, { tokenHash: hashToken(token), ...client, expiresAt });
    if (sessionId === null) throw wrongLogIn(unverifiedHint);
    if (before !== null) await removeSession(tx, before);
    await logInMember(tx, session, member.id);
    await publish(tx, memberLoggedIn, { type: 'member', id: member.id }, { sessionId });
    await guard.succeeded(tx);
    return storesDevice ? trustDevice(tx, attempt) : null;
  });
  if (cookie) memberCookies.setSession(cookies, token, sessionMinutes);
  else memberCookies.clearSession(cookies);
  if (cookie && trusted !== null) memberCookies.setDevice(cookies, account, trusted);
  return { token: cookie ? null : token, expiresAt, device: cookie ? null : trusted };
}

const unverifiedHint = 'A new account can log in once its e-mail address is verified.';

type LoggedIn = Pick<ServicesFor<'member'>, 'db' | 'session' | 'headers' | 'cookies'>;

/** Ends the session of the request. The guest's session is rotated too: the next user of the device starts afresh. */
export async function logOut({ db, session, ...secrets }: LoggedIn): Promise<void> {
  const tokenHash = sessionHashOf(secrets);
  if (tokenHash !== null) await removeSession(db, tokenHash);
  memberCookies.clearSession(secrets.cookies);
  session.rotate();
}

/** Lists the member's open sessions, newest first. */
export async function listSessions(
  { db, session, ...secrets }: LoggedIn,
  query: { limit: number; cursor?: string },
): Promise<Page<SessionRow & { current: boolean }>> {
  const own = sessionHashOf(secrets);
  const page = await memberSessions.page(db, { ...query, open: true }, { memberId: session.memberId });
  return { ...page, items: page.items.map((row) => ({ ...row, current: row.tokenHash === own })) };
}

/** Ends a session of the member. @throws not_found (404) */
export async function endSession({ db, session, ...secrets }: LoggedIn, id: string): Promise<void> {
  const tokenHash = await removeSessionById(db, session.memberId, id);
  if (tokenHash === null) throw notFound(`No session has the id ${id}.`);
  if (tokenHash === sessionHashOf(secrets)) memberCookies.clearSession(secrets.cookies);
}
