/**
 * VIES as the box asks it: what is an answer, and what is none.
 */
import { createTestBox } from '@carton/runtime/testing';
import { startVies, unknownNumbers, viesEnvironment, wrongAnswers } from '@carton/vies/testing';
import t from 'tap';
import { vies } from '../check.ts';

const simulator = await startVies();
t.teardown(() => simulator.stop());
t.beforeEach(() => simulator.setMode('ok'));
const packages = ['@carton/auth', '@carton/tenant', '@carton/vies'];
const { db } = await createTestBox(t, { packages, environment: viesEnvironment(simulator) });

const french = 'FR40303265045';
const ask = (number: string, requester: string | null = 'DE136695976') =>
  vies.check(db, { number, requester }, AbortSignal.timeout(5000));

t.test('it knows the member states and Northern Ireland', async (t) => {
  for (const prefix of ['DE', 'EL', 'XI', 'HR']) t.ok(vies.knows(prefix), prefix);
  for (const prefix of ['GB', 'GR', 'CH', 'US']) t.notOk(vies.knows(prefix), prefix);
});

t.test('a number is valid or not', async (t) => {
  t.match(await ask(french), {
    isValid: true,
    requestIdentifier: /^WAPI/,
    name: 'SAS CAFE CREME',
    address: '1 RUE DE LA PAIX\n75002 PARIS',
  });
  const none = { requestIdentifier: null, name: null, address: null };
  t.strictSame(await ask(unknownNumbers[0] as string, null), { isValid: false, ...none });
  for (const requester of [null, 'GB802311782']) {
    t.equal((await ask(french, requester)).requestIdentifier, null, 'others than member states get no confirmation');
  }
});

t.test('a state that is away has not answered', async (t) => {
  await t.rejects(ask('ESB58378431'), { failure: 'unavailable', message: 'it has the fault MS_UNAVAILABLE' });
});

t.test('nothing but an answer about the number makes it valid or not', async (t) => {
  for (const mode of [...Object.keys(wrongAnswers), 'unreadable', 'fail', 'drop', 'cut', 'refuse', 'reject']) {
    await simulator.setMode(mode);
    await t.rejects(ask(french), { name: 'Error', failure: String }, mode);
    const error = await ask(french).catch((thrown: Error) => thrown);
    t.notMatch(String((error as Error).message), /303265/, 'the message goes to the log');
  }
});

t.test('of an answer remain the characters that can be stored', async (t) => {
  await simulator.setMode('odd-texts');
  const { name, address } = await ask(french);
  t.strictSame([name, address], ['SAS CAFE CREME', `${'x'.repeat(998)}\u{1f600}`]);
});

t.test('a fault of the question, or of too many at once, is no outage', async (t) => {
  await simulator.setMode('busy');
  await t.rejects(ask(french), { failure: 'busy', message: 'it has the fault MS_MAX_CONCURRENT_REQ' });
  await simulator.setMode('invalid-input');
  await t.rejects(ask(french), { failure: 'refused', message: 'it has the fault INVALID_INPUT' });
});

t.test('an attempt ends with its signal', async (t) => {
  await simulator.setMode('slow');
  await t.rejects(vies.check(db, { number: french, requester: null }, AbortSignal.timeout(200)));
});
