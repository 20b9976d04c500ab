/**
 * Rules of staff sessions: opened by a password, sent as a bearer token or kept by a browser in a cookie.
 */
import { type BoxServices, bearerToken, hashToken, type TenantDatabase, vendor } from '@carton/runtime';
import { guardPassword } from './attempts.ts';
import { verifyPassword } from './password.ts';
import { wrongLogIn } from './problems.ts';
import { inMinutes, newToken, normalizeEmail } from './secrets.ts';
import { closeSessions, findStaffByEmail, insertSession, removeSession } from './store.ts';

const sessionMinutes = 12 * 60;

export const staffCookie = `${vendor.name}_staff`;

type Carried = Pick<BoxServices, 'headers' | 'cookies'>;

/** Only the administration is sent it, and only from its own pages; scripts never see it. */
const cookieOptions = { path: '/admin', httpOnly: true, sameSite: 'strict', overwrite: true } as const;

/** The session token of a request: a page's own word, Authorization, counts before what the browser adds. */
export function sessionTokenOf({ headers, cookies }: Carried): string | null {
  const token = headers.authorization === undefined ? cookies.get(staffCookie) : bearerToken({ headers });
  return token?.startsWith('sts_') ? token : null;
}

/**
 * Opens a session and closes the one that the request carries: what was known before the password was given is worth
 * nothing after it. The cookie, when one is asked for, is the only copy of its token.
 * @throws wrong_login (401), the same for an unknown address, a wrong password and a disabled account;
 * too_many_requests (429)
 */
export async function logIn(
  { db, client, ...carried }: Carried & Pick<BoxServices, 'db' | 'client'>,
  { email, password, cookie = false }: { email: string; password: string; cookie?: boolean },
): Promise<{ token: string | null; expiresAt: string }> {
  const account = normalizeEmail(email);
  const guard = await guardPassword(db, { realm: 'staff', account, address: client.address });
  const staff = await findStaffByEmail(db, account);
  const right = await verifyPassword(password, staff?.passwordHash ?? null);
  if (!staff || !right) throw wrongLogIn();
  const token = newToken('sts');
  const expiresAt = inMinutes(sessionMinutes);
  const before = sessionTokenOf(carried);
  await db.transaction(async (transaction) => {
    const opened = await insertSession(transaction, staff, { tokenHash: hashToken(token), ...client, expiresAt });
    if (!opened) throw wrongLogIn();
    await closeSessions(transaction, staff.id, before === null ? [] : [hashToken(before)]);
    await guard.succeeded(transaction);
  });
  if (cookie) carried.cookies.set(staffCookie, token, { ...cookieOptions, maxAge: sessionMinutes * 60 * 1000 });
  else clearCookie(carried);
  return { token: cookie ? null : token, expiresAt };
}

export async function logOut(
  db: TenantDatabase,
  sessionId: string | undefined,
  carried: Pick<BoxServices, 'cookies'>,
): Promise<void> {
  if (sessionId) await removeSession(db, sessionId);
  clearCookie(carried);
}

function clearCookie({ cookies }: Pick<BoxServices, 'cookies'>): void {
  if (cookies.get(staffCookie) !== undefined) cookies.set(staffCookie, null, cookieOptions);
}
