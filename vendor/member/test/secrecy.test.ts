/**
 * Nothing that a visitor can observe tells whether an address has an account: for each kind of address, a request has
 * the same response and does the same work, in statements and in hashes of passwords. Time is not measured.
 */
import { createHook } from 'node:async_hooks';
import { createMember, mailsTo } from '@carton/member/testing';
import { StatementRecorder } from '@carton/runtime/testing/plans';
import t from 'tap';
import { forgetAttempts, newEmail, openBox } from './helpers.ts';

const box = await openBox(t);
const visitor = box.visitor();
const recorder = new StatementRecorder(box.box.database);

let hashes = 0;
const hook = createHook({
  init(_, type) {
    if (type === 'SCRYPTREQUEST') hashes += 1;
  },
}).enable();
t.teardown(() => hook.disable());

/** Statements of the request, without those of the background worker that deliver its events. */
const isOfRequest = (text: string) => /auth_attempts|member|insert into event_outbox/.test(text);

async function observe(path: string, body: Record<string, unknown>) {
  await forgetAttempts(box);
  const before = hashes;
  let answer: unknown;
  const sent = await recorder.record(async () => {
    const { status, body: received, headers } = await visitor.post(path, body);
    const { instance: _, ...problem } = Object(received);
    answer = [status, received && problem, [...headers.keys()].sort()];
  });
  const statements = sent.map(({ text }) => text).filter(isOfRequest);
  return { answer, statements, hashes: hashes - before };
}

const registered = async (change: Record<string, unknown>) =>
  (await createMember(box, { email: newEmail(), ...change })).email;
const pending = async () => {
  const email = newEmail();
  await visitor.post('/member/register', { email, password: 'some password' });
  return email;
};
const kinds = {
  member: () => registered({}),
  unverified: () => registered({ emailVerifiedAt: null }),
  disabled: () => registered({ status: 'disabled' }),
  deleted: () => registered({ deletedAt: new Date() }),
  pending,
};

const requests: [path: string, body: Record<string, unknown>, hashes: number, mails: number][] = [
  ['/member/login', { password: 'a wrong password' }, 1, 0],
  ['/member/register', { password: 'some password' }, 1, 4],
  ['/member/email/verification', {}, 0, 2],
  ['/member/password/forgot', {}, 0, 3],
];

for (const [path, body, work, mails] of requests) {
  t.test(`POST ${path} does the same for known and unknown addresses`, async (t) => {
    const unknown = await observe(path, { ...body, email: newEmail() });
    t.equal(unknown.hashes, work);
    t.ok(unknown.statements.length > 2);
    let sent = 0;
    for (const [kind, create] of Object.entries(kinds)) {
      await forgetAttempts(box);
      const email = await create();
      const before = (await mailsTo(box, email)).length;
      t.strictSame(await observe(path, { ...body, email }), unknown, kind);
      sent += Number((await mailsTo(box, email)).length > before || (path.endsWith('register') && kind === 'pending'));
    }
    t.equal(sent, mails, 'the mail is different');
  });
}
