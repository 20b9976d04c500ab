/**
 * Rules of staff sessions: opened by a password, sent as a bearer token or kept by a browser in a cookie.
 */
import { type BoxServices, bearerToken, hashToken, type TenantDatabase } from '@carton/runtime';
import { guardPassword, knowDevice } from './attempts.ts';
import {
  clearSessionCookie,
  readDeviceCookie,
  readSessionCookie,
  setDeviceCookie,
  setSessionCookie,
} from './cookies.ts';
import { verifyPassword } from './password.ts';
import { wrongLogIn } from './problems.ts';
import type { LogIn } from './schemas.ts';
import { inMinutes, newToken, normalizeEmail } from './secrets.ts';
import { closeSessions, insertSession, removeSession, staffUsers } from './store.ts';

const sessionMinutes = 12 * 60;

type Carried = Pick<BoxServices, 'headers' | 'cookies'>;

/** The session token of a request: a page's own word, Authorization, counts before what the browser adds. */
export function sessionTokenOf({ headers, cookies }: Carried): string | null {
  const token = headers.authorization === undefined ? readSessionCookie(cookies) : bearerToken({ headers });
  return token?.startsWith('sts_') ? token : null;
}

/**
 * Opens a session and closes the one that the request carries: what was known before the password was given is worth
 * nothing after it. The cookie, when one is asked for, is the only copy of its token. The device is known from then on:
 * by a cookie, or by a token where the client says that it keeps one (`device`).
 * @throws wrong_login (401), the same for an unknown address, a wrong password and a disabled account;
 * too_many_requests (429)
 */
export async function logIn(
  { db, client, ...carried }: Carried & Pick<BoxServices, 'db' | 'client'>,
  { email, password, cookie = false, device: given }: LogIn,
): Promise<{ token: string | null; expiresAt: string; device: string | null }> {
  const { cookies } = carried;
  const account = normalizeEmail(email);
  const device = given ?? readDeviceCookie(cookies, account);
  const attempt = { realm: 'staff', account, address: client.address, device };
  const guard = await guardPassword(db, attempt);
  const staff = await staffUsers.findBy(db, { email: account });
  const right = await verifyPassword(password, staff?.passwordHash ?? null);
  if (!staff || !right) throw wrongLogIn();
  const token = newToken('sts');
  const expiresAt = inMinutes(sessionMinutes);
  const before = sessionTokenOf(carried);
  const keepsDevice = cookie || given !== undefined;
  const known = await db.transaction(async (transaction) => {
    const opened = await insertSession(transaction, staff, { tokenHash: hashToken(token), ...client, expiresAt });
    if (!opened) throw wrongLogIn();
    await closeSessions(transaction, staff.id, before === null ? [] : [hashToken(before)]);
    await guard.succeeded(transaction);
    return keepsDevice ? knowDevice(transaction, attempt) : null;
  });
  if (cookie) setSessionCookie(cookies, token, sessionMinutes);
  else clearSessionCookie(cookies);
  if (cookie && known !== null) setDeviceCookie(cookies, account, known);
  return { token: cookie ? null : token, expiresAt, device: cookie ? null : known };
}

export async function logOut(
  db: TenantDatabase,
  sessionId: string | undefined,
  carried: Pick<BoxServices, 'cookies'>,
): Promise<void> {
  if (sessionId) await removeSession(db, sessionId);
  clearSessionCookie(carried.cookies);
}
