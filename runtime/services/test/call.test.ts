/**
 * Calls to services: retries, the deadline, the circuit of each account, and what is reported.
 */
import t from 'tap';
import { gatherExtensions } from '../../extension/extension.ts';
import { callService } from '../call.ts';
import { ServiceError, type ServiceFailure } from '../errors.ts';
import { serviceObservers } from '../observer.ts';

function openBox() {
  const outcomes: string[] = [];
  const observer = { called: (service: string, outcome: string) => void outcomes.push(`${service} ${outcome}`) };
  return { extensions: gatherExtensions([serviceObservers.with(observer)]), outcomes };
}

const call = { service: 'test', account: 'common', timeout: 60_000, pause: 60_000 };

/** An attempt that fails in these ways, one after the other, and then succeeds. */
function failing(...failures: ServiceFailure[]) {
  const attempt = async () => {
    const failure = failures[attempt.count++];
    if (failure) throw new ServiceError(failure, failure);
    return 'answer';
  };
  attempt.count = 0;
  return attempt;
}

/** The failure of a call; null if it has an answer. */
const failureOf = (called: Promise<unknown>) =>
  called.then(
    () => null,
    (error: ServiceError) => error.failure,
  );

t.test('what may be gone at the next attempt is retried, what will not is not', async (t) => {
  const cases: [failures: ServiceFailure[], attempts: number, outcome: string][] = [
    [['unavailable', 'timeout'], 3, 'answered'],
    [['unavailable', 'unavailable', 'unavailable'], 3, 'unavailable'],
    [['busy'], 2, 'answered'],
    [['invalid'], 1, 'invalid'],
    [['refused'], 1, 'refused'],
    [['rejected'], 1, 'rejected'],
  ];
  for (const [failures, attempts, outcome] of cases) {
    const box = openBox();
    const attempt = failing(...failures);
    const result = await failureOf(callService(box, call, attempt));
    t.strictSame([attempt.count, result], [attempts, outcome === 'answered' ? null : outcome]);
    t.strictSame(box.outcomes, [`test ${outcome}`]);
  }
});

t.test('an attempt that never ends is aborted and retried, until the deadline', async (t) => {
  const aborted: boolean[] = [];
  const hang = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      const at = aborted.push(false) - 1;
      signal.addEventListener('abort', () => {
        aborted[at] = true;
        reject(signal.reason);
      });
    });
  t.equal(await failureOf(callService(openBox(), { ...call, timeout: 200 }, hang)), 'timeout');
  t.ok(aborted.length >= 1);
  t.notOk(aborted.includes(false));
});

t.test('after three failures in a row a service is not called, for its account only', async (t) => {
  const box = openBox();
  const attempt = failing(...Array<ServiceFailure>(5).fill('invalid'));
  for (let number = 0; number < 5; number++) {
    t.equal(await failureOf(callService(box, call, attempt)), number < 3 ? 'invalid' : 'circuit_open');
  }
  t.equal(attempt.count, 3);
  t.equal(await callService(box, { ...call, account: 'other' }, failing()), 'answer');
  t.equal(await callService(openBox(), call, failing()), 'answer', 'boxes are independent');
});

t.test('refusals are answers: they open no circuit', async (t) => {
  const box = openBox();
  for (let number = 0; number < 5; number++) {
    t.equal(await failureOf(callService(box, call, failing('refused'))), 'refused');
  }
  t.equal(await callService(box, call, failing()), 'answer');
});

t.test('an error of the attempt itself counts as unavailable', async (t) => {
  const box = openBox();
  const attempt = async () => {
    throw new Error('broken');
  };
  await t.rejects(callService(box, call, attempt), { failure: 'unavailable', message: 'broken' });
});

t.test('nothing is called in a transaction', async (t) => {
  const attempt = failing();
  await t.rejects(callService({ ...openBox(), inTransaction: true }, call, attempt), { message: /in a transaction/ });
  t.equal(attempt.count, 0);
});
