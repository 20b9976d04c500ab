/**
 * Events of log-ins: they say who logged in and to whose account a log-in failed, and an attacker cannot fill the
 * outbox with them.
 */
import { createTestBox, eventsOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import {
  challengeOf,
  completeLogIn,
  enableFactor,
  hire,
  logIn,
  packages,
  pretendMinutesAgo,
} from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });

interface Event {
  type: string;
  resourceType: string;
  resourceId: string;
  payload: { sessionId?: string };
}

let seen = 0;

/** The events of log-ins since the last call, oldest first. */
async function newEvents(): Promise<Event[]> {
  const events = await eventsOf<Event['payload']>(box, { type: /^staff(\.logged_in|_log_in\.failed)$/ });
  const unseen = events.slice(seen);
  seen = events.length;
  // The resource of a failure is the log-in: it has the same id nowhere else.
  return unseen.map(({ type, resource, payload }) => ({
    ...{ type, payload, resourceType: resource.type },
    resourceId: resource.type === 'staff_log_in' ? 'any' : resource.id,
  }));
}

const failureOf = (staffUserId: string | null, factor = 'password'): Event => ({
  ...{ type: 'staff_log_in.failed', resourceType: 'staff_log_in', resourceId: 'any' },
  payload: { factor, staffUserId } as object,
});

t.test('a log-in is an event with the session and the second factor', async (t) => {
  const person = await hire(box, 'viewer');
  await newEvents();
  t.equal((await logIn(box, person.email)).status, 200);
  const [session] = (await person.get('/admin/me/sessions')).body.items;
  const about = { resourceType: 'staff_user', resourceId: person.id };
  t.strictSame(await newEvents(), [
    { type: 'staff.logged_in', ...about, payload: { sessionId: session.id, secondFactor: null } },
  ]);

  const withFactor = await enableFactor(box, person);
  const complete = async (code: string) => {
    const challenge = await challengeOf(box, person);
    t.strictSame(await newEvents(), [], 'the password alone is no log-in');
    return completeLogIn(box, challenge, code);
  };
  t.equal((await complete(await withFactor.newCode())).status, 200);
  t.match(await newEvents(), exactly([{ ...about, payload: { secondFactor: 'authenticator' } }]));
  t.equal((await complete(withFactor.recoveryCodes[0] as string)).status, 200);
  t.match(await newEvents(), exactly([{ ...about, payload: { secondFactor: 'recovery_code' } }]));
  t.equal((await complete('aaaa-aaaa-aaaa-aaaa')).status, 403);
  t.strictSame(await newEvents(), [failureOf(person.id, 'code')]);
});

t.test('failures are reported for any address, and seldom', async (t) => {
  const person = await hire(box, 'viewer');
  await newEvents();
  t.equal((await logIn(box, 'nobody@shop.example', 'wrong password')).status, 401);
  t.strictSame(await newEvents(), [failureOf(null)]);
  const failure = failureOf(person.id);
  for (let at = 0; at < 5; at++) t.equal((await logIn(box, person.email.toUpperCase(), 'wrong password')).status, 401);
  t.strictSame(await newEvents(), [failure], 'one of a series');
  // The wait is 8 seconds after the first report.
  await pretendMinutesAgo(box, 1);
  await logIn(box, person.email, 'wrong password');
  t.strictSame(await newEvents(), [failure]);
  await box.db.query("update auth_attempts set attempts = 1000 where tenant_id = $1 and kind = 'staff report account'");
  await pretendMinutesAgo(box, 14);
  await logIn(box, person.email, 'wrong password');
  t.strictSame(await newEvents(), [], 'at most one in 15 minutes');
  await pretendMinutesAgo(box, 15);
  await logIn(box, person.email, 'wrong password');
  t.strictSame(await newEvents(), [failure]);
});

t.test('concurrent failures are one report', async (t) => {
  const person = await hire(box, 'viewer');
  await newEvents();
  await Promise.all(Array.from({ length: 14 }, () => logIn(box, person.email, 'wrong password')));
  t.equal((await newEvents()).length, 1);
});
