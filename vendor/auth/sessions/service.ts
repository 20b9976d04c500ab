/**
 * Rules of staff sessions, which a password opens, with a code where a second factor is enabled. Clients send the token
 * as a bearer token or in a cookie.
 */
import {
  type BoxServices,
  bearerToken,
  hashToken,
  notFound,
  type Page,
  publish,
  type ServicesFor,
  type TenantDatabase,
} from '@carton/runtime';
import type { Attempt } from '../attempts/counts.ts';
import { countWrongToken, guardCode, guardPassword, trustAddress, trustDevice } from '../attempts/service.ts';
import { staffCookies } from '../cookies.ts';
import { verifyPassword } from '../passwords/hashes.ts';
import { wrongCode } from '../second-factor/problems.ts';
import { consumeCode } from '../second-factor/service.ts';
import { isFactorEnabled } from '../second-factor/store.ts';
import { inMinutes, newToken, normalizeEmail } from '../secrets.ts';
import { lockStaff, type StaffRow, staffUsers } from '../store.ts';
import { consumeChallenge, countCode, findChallengeOwner, insertChallenge } from './challenge-store.ts';
import { staffLoggedIn } from './events.ts';
import { reportFailure } from './failures.ts';
import { challengeUnknown, secondFactorRequired, wrongLogIn } from './problems.ts';
import type { CompleteLogIn, LogIn } from './schemas.ts';
import {
  closeSessions,
  insertSession,
  removeOwnSession,
  removeSession,
  type SessionRow,
  staffSessions,
} from './store.ts';

const sessionMinutes = 12 * 60;
const challengeMinutes = 10;

/** Wrong codes after which a challenge is void. */
const maximumCodes = 5;

type RequestSecrets = Pick<BoxServices, 'headers' | 'cookies'>;

/** The session token of a request. The Authorization header takes precedence over the cookie. */
export function sessionTokenOf({ headers, cookies }: RequestSecrets): string | null {
  const token = headers.authorization === undefined ? staffCookies.readSession(cookies) : bearerToken({ headers });
  return token?.startsWith('sts_') ? token : null;
}

type Request = RequestSecrets & Pick<BoxServices, 'db' | 'client'>;
type SessionOptions = Pick<LogIn, 'cookie' | 'device'>;

interface OpenedSession {
  token: string | null;
  expiresAt: string;
  device: string | null;
}

/**
 * Opens a session and closes the one whose token the request sends, against session fixation. A token in a cookie is
 * not also returned. The device becomes trusted if it can store its token: in a cookie, or by itself if it sends
 * `device`.
 * @throws wrong_login (401), the same for an unknown address, a wrong password and a disabled account,
 * second_factor_required (401) with a challenge for `completeLogIn`, too_many_requests (429)
 */
export async function logIn(request: Request, { email, password, ...options }: LogIn): Promise<OpenedSession> {
  const { db } = request;
  const account = normalizeEmail(email);
  const attempt = attemptOf(request, account, options);
  const guard = await guardPassword(db, attempt);
  const staff = await staffUsers.findBy(db, { email: account });
  const isCorrect = await verifyPassword(password, staff?.passwordHash ?? null);
  if (!staff || !isCorrect) {
    await reportFailure(db, account, { factor: 'password', staffUserId: staff?.id ?? null });
    throw wrongLogIn();
  }
  const outcome = await db.transaction(async (tx) => {
    const user = await lockStaff(tx, staff.id);
    // Either may have changed since it was read.
    if (user?.passwordHash !== staff.passwordHash || user.status !== 'active') throw wrongLogIn();
    if (await isFactorEnabled(tx, user.id)) {
      await guard.passed(tx);
      return { challenge: await openChallenge(tx, user.id) };
    }
    await guard.succeeded(tx);
    return { session: await openSession(tx, request, { user, attempt, options, secondFactor: null }) };
  });
  if (outcome.challenge) {
    throw secondFactorRequired('Send the challenge with a code to POST /admin/auth/login/second-factor.', {
      members: { ...outcome.challenge },
    });
  }
  return deliver(request, outcome.session, account, options);
}

/** The challenge of a person whose password was right. Its hash is stored. */
async function openChallenge(
  tx: TenantDatabase,
  staffUserId: string,
): Promise<{ challenge: string; expiresAt: string }> {
  const challenge = newToken('chl');
  const expiresAt = inMinutes(challengeMinutes);
  await insertChallenge(tx, { staffUserId, tokenHash: hashToken(challenge), expiresAt });
  return { challenge, expiresAt };
}

/**
 * Opens the session of a log-in that needed a code.
 * @throws challenge_unknown (404), also after too many wrong codes; wrong_code (403), too_many_requests (429)
 */
export async function completeLogIn(
  request: Request,
  { challenge, code, ...options }: CompleteLogIn,
): Promise<OpenedSession> {
  const { db, client } = request;
  const tokenHash = hashToken(challenge);
  const id = await findChallengeOwner(db, tokenHash);
  const staff = id && (await staffUsers.find(db, id));
  if (!staff) {
    await countWrongToken(db, { realm: 'staff', token: 'challenge', address: client.address });
    throw challengeUnknown(logInAgain);
  }
  const account = staff.email;
  const attempt = attemptOf(request, account, options);
  const guard = await guardCode(db, attempt);
  if (!(await countCode(db, tokenHash, maximumCodes))) throw challengeUnknown(logInAgain);
  const session = await db.transaction(async (tx) => {
    const user = await lockStaff(tx, staff.id);
    if (user?.status !== 'active') throw challengeUnknown(logInAgain);
    const secondFactor = await consumeCode(tx, user.id, code);
    if (secondFactor === null) return null;
    if (!(await consumeChallenge(tx, tokenHash))) throw challengeUnknown(logInAgain);
    await guard.succeeded(tx);
    await trustAddress(tx, attempt);
    return openSession(tx, request, { user, attempt, options, secondFactor });
  });
  if (!session) {
    await reportFailure(db, account, { factor: 'code', staffUserId: staff.id });
    throw wrongCode(`Each code works once. After ${maximumCodes} wrong codes, log in again.`);
  }
  return deliver(request, session, account, options);
}

const logInAgain = 'Log in again with the password.';

function attemptOf({ client, cookies }: Request, account: string, { device: sent }: SessionOptions): Attempt {
  const device = sent ?? staffCookies.readDevice(cookies, account);
  return { realm: 'staff', account, address: client.address, device };
}

interface Session {
  token: string;
  expiresAt: string;
  /** Token of the device, if it can store one. */
  device: string | null;
}

/** Opens the session of a person who is authenticated and locked. */
async function openSession(
  tx: TenantDatabase,
  request: Request,
  {
    user,
    attempt,
    options,
    secondFactor,
  }: {
    user: StaffRow;
    attempt: Attempt;
    options: SessionOptions;
    secondFactor: 'authenticator' | 'recovery_code' | null;
  },
): Promise<Session> {
  const token = newToken('sts');
  const expiresAt = inMinutes(sessionMinutes);
  const before = sessionTokenOf(request);
  const sessionId = await insertSession(tx, user, { tokenHash: hashToken(token), ...request.client, expiresAt });
  await closeSessions(tx, user.id, before === null ? [] : [hashToken(before)]);
  await publish(tx, staffLoggedIn, { type: 'staff_user', id: user.id }, { sessionId, secondFactor });
  const storesDevice = options.cookie || options.device !== undefined;
  return { token, expiresAt, device: storesDevice ? await trustDevice(tx, attempt) : null };
}

/** Sets the cookies of an opened session. A token in a cookie is not also returned. */
function deliver(
  { cookies }: Request,
  { token, expiresAt, device }: Session,
  account: string,
  { cookie = false }: SessionOptions,
): OpenedSession {
  if (cookie) staffCookies.setSession(cookies, token, sessionMinutes);
  else staffCookies.clearSession(cookies);
  if (cookie && device !== null) staffCookies.setDevice(cookies, account, device);
  return { token: cookie ? null : token, expiresAt, device: cookie ? null : device };
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
