/**
 * Races of codes: of concurrent uses of one, one succeeds.
 */
import { createTestBox, raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { consumeCode } from '../second-factor/service.ts';
import {
  bearerOf,
  challengeOf,
  codeOf,
  completeLogIn,
  enableFactor,
  forgetAttempts,
  hire,
  packages,
  password,
} from '../testing/index.ts';

const box = await createTestBox(t, { packages, tier: 'basic' });
const person = await enableFactor(box, await hire(box, 'viewer'));

/** What those of two concurrent uses of a code return that succeed. */
const useTwice = async (code: string) => {
  const uses = [0, 1].map(() => box.db.transaction((tx) => consumeCode(tx, person.id, code)));
  return (await Promise.all(uses)).filter((used) => used !== null);
};

t.test('one of two concurrent uses of a code succeeds', async (t) => {
  const wins = [];
  for (let round = 0; round < raceRounds; round++) wins.push(await useTwice(await person.newCode()));
  t.strictSame(
    wins,
    wins.map(() => ['authenticator']),
  );
});

t.test('one of two concurrent uses of a recovery code succeeds', async (t) => {
  const wins = [];
  for (let round = 0; round < raceRounds; round++) {
    await forgetAttempts(box);
    const code = await person.newCode();
    const { recoveryCodes } = (await person.post('/admin/me/second-factor/recovery-codes', { code })).body;
    wins.push(await useTwice(recoveryCodes[0]));
  }
  t.strictSame(
    wins,
    wins.map(() => ['recovery_code']),
  );
});

t.test('one of two concurrent log-ins with one code opens a session, whether by one challenge or two', async (t) => {
  const rounds = [];
  for (let round = 0; round < raceRounds; round++) {
    await forgetAttempts(box);
    const challenges = [await challengeOf(box, person), await challengeOf(box, person)];
    const code = await person.newCode();
    const sent = round % 2 ? challenges : [challenges[0], challenges[0]];
    const opened = await Promise.all(sent.map((challenge) => completeLogIn(box, challenge, code)));
    rounds.push(opened.filter(({ status }) => status === 200).length);
  }
  t.strictSame(
    rounds,
    rounds.map(() => 1),
  );
});

t.test('a challenge opens one session, also with two codes that are valid', async (t) => {
  const rounds = [];
  for (let round = 0; round < raceRounds; round++) {
    await forgetAttempts(box);
    const renewed = await person.post('/admin/me/second-factor/recovery-codes', { code: await person.newCode() });
    const challenge = await challengeOf(box, person);
    const codes = [await person.newCode(), renewed.body.recoveryCodes[0]];
    const opened = await Promise.all(codes.map((code) => completeLogIn(box, challenge, code)));
    rounds.push(opened.map(({ status }) => status).sort());
  }
  t.strictSame(
    rounds,
    rounds.map(() => [200, 404]),
  );
});

t.test('concurrent wrong codes cannot exceed the limit', async (t) => {
  await forgetAttempts(box);
  const challenge = await challengeOf(box, person);
  const responses = await Promise.all(
    Array.from({ length: 12 }, () => completeLogIn(box, challenge, 'aaaa-aaaa-aaaa-aaaa')),
  );
  t.equal(responses.filter(({ status }) => status === 403).length, 5);
});

t.test('a log-in that races with enabling the factor leaves no session without a code', async (t) => {
  for (let round = 0; round < Math.min(raceRounds, 20); round++) {
    await forgetAttempts(box);
    const other = await hire(box, 'viewer');
    const { secret } = (await other.post('/admin/me/second-factor', { password })).body;
    const [enabled, logIn] = await Promise.all([
      other.post('/admin/me/second-factor/confirm', { code: codeOf(secret, 0) }),
      box.visitor().post('/admin/auth/login', { email: other.email, password }),
    ]);
    t.equal(enabled.status, 200);
    const { status } = await bearerOf(box, logIn.body.token).get('/admin/me');
    t.equal(status, 401);
  }
});
