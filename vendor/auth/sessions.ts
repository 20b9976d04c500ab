/**
 * Rules of staff sessions, which a password opens. Clients send the token as a bearer token or in a cookie.
 */
import {
  type BoxServices,
  bearerToken,
  hashToken,
  notFound,
  type Page,
  type ServicesFor,
  type TenantDatabase,
} from '@carton/runtime';
import { guardPassword, trustDevice } from './attempts.ts';
import { staffCookies } from './cookies.ts';
import { verifyPassword } from './password.ts';
import { wrongLogIn } from './problems.ts';
import type { LogIn } from './schemas.ts';
import { inMinutes, newToken, normalizeEmail } from './secrets.ts';
import {
  closeSessions,
  insertSession,
  removeOwnSession,
  removeSession,
  type SessionRow,
  staffSessions,
  staffUsers,
} from './store.ts';

const sessionMinutes = 12 * 60;

type RequestSecrets = Pick<BoxServices, 'headers' | 'cookies'>;

/** The session token of a request. The Authorization header takes precedence over the cookie. */
export function sessionTokenOf({ headers, cookies }: RequestSecrets): string | null {
  const token = headers.authorization === undefined ? staffCookies.readSession(cookies) : bearerToken({ headers });
  return token?.startsWith('sts_') ? token : null;
}

/**
 * Opens a session and closes the one whose token the request sends, against session fixation. A token in a cookie is
 * not also returned. The device becomes trusted if it can store its token: in a cookie, or by itself if it sends
 * `device`.
 * @throws wrong_login (401), the same for an unknown address, a wrong password and a disabled account,
 * too_many_requests (429)
 */
export async function logIn(
  { db, client, ...secrets }: RequestSecrets & Pick<BoxServices, 'db' | 'client'>,
  { email, password, cookie = false, device: sentDevice }: LogIn,
): Promise<{ token: string | null; expiresAt: string; device: string | null }> {
  const { cookies } = secrets;
  const account = normalizeEmail(email);
  const device = sentDevice ?? staffCookies.readDevice(cookies, account);
  const attempt = { realm: 'staff', account, address: client.address, device };
  const guard = await guardPassword(db, attempt);
  const staff = await staffUsers.findBy(db, { email: account });
  const isCorrect = await verifyPassword(password, staff?.passwordHash ?? null);
  if (!staff || !isCorrect) throw wrongLogIn();
  const token = newToken('sts');
  const expiresAt = inMinutes(sessionMinutes);
  const before = sessionTokenOf(secrets);
  const storesDevice = cookie || sentDevice !== undefined;
  const trusted = await db.transaction(async (transaction) => {
    const opened = await insertSession(transaction, staff, { tokenHash: hashToken(token), ...client, expiresAt });
    if (!opened) throw wrongLogIn();
    await closeSessions(transaction, staff.id, before === null ? [] : [hashToken(before)]);
    await guard.succeeded(transaction);
    return storesDevice ? trustDevice(transaction, attempt) : null;
  });
  if (cookie) staffCookies.setSession(cookies, token, sessionMinutes);
  else staffCookies.clearSession(cookies);
  if (cookie && trusted !== null) staffCookies.setDevice(cookies, account, trusted);
  return { token: cookie ? null : token, expiresAt, device: cookie ? null : trusted };
}

export async function logOut(
  db: TenantDatabase,
  sessionId: string | undefined,
  { cookies }: Pick<BoxServices, 'cookies'>,
): Promise<void> {
  if (sessionId) await removeSession(db, sessionId);
  staffCookies.clearSession(cookies);
}

type LoggedIn = Pick<ServicesFor<'staff'>, 'db' | 'staff' | 'cookies'>;

/** Lists the caller's open sessions, newest first. */
export async function listOwnSessions(
  { db, staff }: Pick<LoggedIn, 'db' | 'staff'>,
  query: { limit: number; cursor?: string },
): Promise<Page<SessionRow & { current: boolean }>> {
  const { items, nextCursor } = await staffSessions.page(db, { ...query, open: true }, { staffUserId: staff.id });
  return { items: items.map((row) => ({ ...row, current: row.id === staff.sessionId })), nextCursor };
}

/** Ends a session of the caller, also the one of the request. @throws not_found (404) */
export async function endOwnSession({ db, staff, cookies }: LoggedIn, id: string): Promise<void> {
  if (!(await removeOwnSession(db, staff.id, id))) throw notFound(`No session has the id ${id}.`);
  if (id === staff.sessionId) staffCookies.clearSession(cookies);
}
