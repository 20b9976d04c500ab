/**
 * Members for tests: by the routes, with the tokens of their mails, and directly in the database.
 */
import { randomBytes } from 'node:crypto';
import { hashPassword } from '@carton/auth';
import { type ComposedMail, hashToken, mailTemplates, newId } from '@carton/runtime';
import { type Answer, type Caller, eventsOf, type TestTenant } from '@carton/runtime/testing';

export const password = 'correct horse battery';

export interface SentMail extends ComposedMail<Record<string, string>> {
  key: string;
}

/** The mails to an address that the events so far cause, as the package that sends mails would compose them now. */
export async function mailsTo(tenant: Pick<TestTenant, 'db'>, email: string): Promise<SentMail[]> {
  const { db } = tenant;
  const sent: SentMail[] = [];
  for (const event of await eventsOf(tenant, { type: /^member\./ })) {
    for (const { key, event: cause, compose } of mailTemplates.of(db)) {
      if (cause?.type !== event.type) continue;
      const mail = (await compose?.(db, event)) as ComposedMail<Record<string, string>> | null;
      if (mail?.to === email.toLowerCase()) sent.push({ key, ...mail });
    }
  }
  return sent;
}

/** The token of the latest mail of a kind to an address. @throws Error if there is none */
export async function tokenOf(tenant: Pick<TestTenant, 'db'>, email: string, key: string): Promise<string> {
  const mail = (await mailsTo(tenant, email)).findLast((each) => each.key === key);
  if (!mail?.data.token) throw new Error(`no mail ${key} to ${email} has a token`);
  return mail.data.token;
}

export interface Credentials {
  email: string;
  password: string;
}

/** Registers and verifies the address in one session, as a shopper would. */
export async function register(tenant: TestTenant, credentials: Credentials & Record<string, unknown>): Promise<void> {
  const shopper = tenant.shopper();
  requireStatus(202, await shopper.post('/member/register', credentials));
  const token = await tokenOf(tenant, credentials.email, 'member.registration_requested');
  requireStatus(204, await shopper.post('/member/email/verify', { token }));
}

/** Logs in with the session of a shopper, who is a member from then on. */
export async function logIn(shopper: Caller, { email, password }: Credentials): Promise<Answer> {
  const answer = await shopper.post('/member/login', { email, password });
  if (answer.status === 200) shopper.headers.authorization = `Bearer ${answer.body.token}`;
  return answer;
}

function requireStatus(expected: number, { status, body }: Answer): void {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${JSON.stringify(body)}`);
}

/** A member with an open session. */
export interface TestMember extends Caller, Credentials {
  id: string;
}

let created = 0;

/**
 * Creates a verified member with a session in the database, without the cost and the limits of a registration and a
 * log-in.
 */
export async function createMember(tenant: TestTenant, values: Record<string, unknown> = {}): Promise<TestMember> {
  created += 1;
  const id = newId();
  const email = String(values.email ?? `member-${created}@${tenant.slug}.example`);
  await tenant.db.insert('members', {
    id,
    email,
    name: 'Ada Lovelace',
    emailVerifiedAt: new Date(),
    passwordHash: await hashPassword(password),
    ...values,
  });
  return { ...(await openSession(tenant, id)), id, email, password };
}

/** Opens a session of a member; the caller also keeps a shopper's session. */
export async function openSession(tenant: TestTenant, memberId: string): Promise<Caller> {
  const token = `mbs_${randomBytes(32).toString('base64url')}`;
  await tenant.db.insert('member_sessions', {
    id: newId(),
    memberId,
    tokenHash: hashToken(token),
    address: '127.0.0.1',
    userAgent: 'test',
    expiresAt: new Date(Date.now() + 86_400_000),
  });
  const caller = tenant.shopper();
  caller.headers.authorization = `Bearer ${token}`;
  return caller;
}
