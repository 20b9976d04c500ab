/**
 * Members of staff for tests, and requests from chosen addresses.
 */
import { request } from 'node:http';
import { type Answer, type Caller, callerOf, type TestBox, type TestTenant } from '@carton/runtime/testing';
import { Secret, TOTP } from 'otpauth';

export const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
export const password = 'correct horse battery';

export interface Person extends Caller {
  id: string;
  email: string;
}

let hired = 0;

/** Invites a person, accepts the invite and logs in. */
export async function hire(box: TestBox, role: string, tenant: TestTenant = box): Promise<Person> {
  hired += 1;
  const email = `${role}-${hired}@shop.example`;
  const { token } = (await tenant.staff.post('/admin/invites', { email, role })).body;
  const { id } = (await tenant.visitor().post('/admin/invites/accept', { token, name: role, password })).body;
  return { ...(await signIn(box, tenant, { email, password })), id, email };
}

/** Sends an address and a password, by default the right one. */
export function logIn(tenant: TestTenant, email: string, sent = password): Promise<Answer> {
  return tenant.visitor().post('/admin/auth/login', { email, password: sent });
}

/** Logs in and returns a caller with the session. */
export async function signIn(
  box: TestBox,
  tenant: TestTenant,
  { email, password: sent }: { email: string; password: string },
): Promise<Caller> {
  const { body } = await logIn(tenant, email, sent);
  return bearerOf(box, body.token, tenant);
}

/** A caller that sends a token. */
export function bearerOf(box: TestBox, token: string, tenant: TestTenant = box): Caller {
  return callerOf(box.url, { ...tenant.visitor().headers, authorization: `Bearer ${token}` });
}

/** Sends a request from another loopback address, as another client would. */
export function postFrom(
  address: string,
  box: TestBox,
  path: string,
  body: unknown,
  more: Record<string, string> = {},
): Promise<Pick<Answer, 'status' | 'body'> & { retryAfter: string | undefined; cookies: string[] }> {
  const text = JSON.stringify(body);
  const content = { 'content-type': 'application/json', 'content-length': text.length };
  const headers = { ...box.visitor().headers, ...content, ...more };
  return new Promise((resolve, reject) => {
    const sent = request(`${box.url}${path}`, { method: 'POST', localAddress: address, headers, agent: false });
    sent.on('error', reject).on('response', async (response) => {
      let answer = '';
      for await (const part of response) answer += part;
      const { 'retry-after': retryAfter, 'set-cookie': cookies = [] } = response.headers;
      resolve({ status: response.statusCode ?? 0, body: answer && JSON.parse(answer), retryAfter, cookies });
    });
    sent.end(text);
  });
}

/** Forgets all counted attempts. */
export async function forgetAttempts({ db }: Pick<TestTenant, 'db'>): Promise<void> {
  await db.query('delete from auth_attempts where tenant_id = $1');
}

/** Dates all counted attempts back by some minutes. */
export async function pretendMinutesAgo(tenant: TestTenant, minutes: number): Promise<void> {
  await tenant.db.query(
    "update auth_attempts set last_at = clock_timestamp() - $2::integer * interval '1 minute' where tenant_id = $1",
    [minutes],
  );
}

/** Sets the most recently changed count of a kind. */
export async function pretendAttempts(tenant: TestTenant, kind: string, attempts: number): Promise<void> {
  await tenant.db.query(
    `update auth_attempts set attempts = $3
      where tenant_id = $1 and kind = $2 and subject_hash = (
        select subject_hash from auth_attempts where tenant_id = $1 and kind = $2 order by last_at desc limit 1)`,
    [kind, attempts],
  );
}

export interface PersonWithFactor extends Person {
  secret: string;
  recoveryCodes: string[];
  /** A code that has not been used: all codes are forgotten. */
  newCode(): Promise<string>;
}

/** Enables a second factor for a person. */
export async function enableFactor(tenant: TestTenant, person: Person): Promise<PersonWithFactor> {
  const { secret } = (await person.post('/admin/me/second-factor', { password })).body;
  const code = () => codeOf(secret, 0);
  const { recoveryCodes } = (await person.post('/admin/me/second-factor/confirm', { code: code() })).body;
  const newCode = async () => {
    await tenant.db.query('update staff_second_factors set last_step = 0 where tenant_id = $1 and staff_user_id = $2', [
      person.id,
    ]);
    return code();
  };
  return { ...person, secret, recoveryCodes, newCode };
}

/**
 * The code that an authenticator with a secret shows.
 * @param steps time steps from now; those from 0 to 1 stay valid until the request arrives
 */
export function codeOf(secret: string, steps: number, timestamp = Date.now()): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: timestamp + steps * 30_000 });
}

/** Sends the right password of a person with a second factor and returns the challenge. */
export async function challengeOf(tenant: TestTenant, { email }: Pick<Person, 'email'>): Promise<string> {
  return (await logIn(tenant, email)).body.challenge;
}

/** Completes a log-in with a code or a recovery code. */
export function completeLogIn(tenant: TestTenant, challenge: string, code: string): Promise<Answer> {
  return tenant.visitor().post('/admin/auth/login/second-factor', { challenge, code });
}
