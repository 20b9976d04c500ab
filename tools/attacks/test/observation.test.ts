/**
 * When an attack counts as held: with the exact answers that are right, after something like it has worked.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { type Attack, lineOf, type Outcome } from '../attack.ts';
import type { Observation } from '../observation.ts';
import { runAttack } from '../run.ts';
import type { Target } from '../target.ts';

const forbidden = { status: 403, code: 'forbidden' };
const problem = (status: number, code: string) => ({ status, body: { status, code } });

/** The outcome of an attack that observes this. */
function outcomeOf(observing: (observe: Observation) => void): Promise<Outcome> {
  const attack: Attack = { name: 'tests: one', tries: 'it is tried', run: async (_, observe) => observing(observe) };
  return runAttack(attack, {} as Target);
}

t.test('an attack is held if everything is right', async (t) => {
  const outcome = await outcomeOf((observe) => {
    observe.works('the owner', { status: 200 });
    observe.refused('another caller', problem(403, 'forbidden'), forbidden);
    observe.refused('another', problem(403, 'forbidden'), forbidden);
    observe.is('what is left', 1, 1);
  });
  t.match(outcome, { held: true, faults: exactly([]), came: '200, 403 forbidden ×2' });
  t.equal(lineOf(outcome), 'held     tests: one | it is tried | 200, 403 forbidden ×2');
});

t.test('a refusal with another status or code is none', async (t) => {
  for (const [answer, came] of [
    [problem(500, 'internal_error'), '500 internal_error'],
    [problem(404, 'not_found'), '404 not_found'],
    [problem(403, 'rate'), '403 rate'],
    [{ status: 403 }, '403'],
    [{ status: 200, body: { code: 'DE' } }, '200'],
  ] as const) {
    const outcome = await outcomeOf((observe) => {
      observe.works('the owner', { status: 200 });
      observe.refused('another caller', answer, forbidden);
    });
    t.match(outcome, { held: false, faults: exactly([`another caller: ${came}, right is 403 forbidden`]) });
    t.match(lineOf(outcome), /^NOT HELD tests: one .* \| another caller: /);
  }
});

t.test('a refusal proves nothing if nothing has worked before', async (t) => {
  const never = await outcomeOf((observe) => observe.refused('another caller', problem(403, 'forbidden'), forbidden));
  t.match(never, { held: false, faults: exactly([/it was not completed: another caller: nothing has worked before/]) });
  const broken = await outcomeOf((observe) => {
    observe.works('the owner', problem(403, 'forbidden'));
    observe.refused('another caller', problem(403, 'forbidden'), forbidden);
  });
  t.match(broken, { held: false, faults: exactly(['the owner, which must work: 403 forbidden, right is 200']) });
});

t.test('what is so afterwards counts too, and an attack that ends early or does nothing is not held', async (t) => {
  const changed = await outcomeOf((observe) => {
    observe.works('the owner', { status: 200 });
    observe.is('its price', 1, 1000);
  });
  t.match(changed, { held: false, faults: exactly(['its price: 1, right is 1000']) });
  const early = await outcomeOf((observe) => {
    observe.works('the owner', { status: 200 });
    throw new Error('no mail came');
  });
  t.match(early, { held: false, faults: exactly(['it was not completed: no mail came']) });
  t.match(await outcomeOf(() => {}), { held: false, faults: exactly(['nothing was tried']) });
});

t.test('of many faults the first are named', async (t) => {
  const { faults } = await outcomeOf((observe) => {
    observe.works('the owner', { status: 200 });
    for (let number = 1; number <= 7; number += 1) observe.is(`value ${number}`, 0, 1);
  });
  t.strictSame(faults.length, 5);
  t.equal(faults.at(-1), 'and 3 more');
});
