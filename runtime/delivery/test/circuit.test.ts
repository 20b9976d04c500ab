/**
 * Circuits: when a destination is left alone, and for how long.
 */
import t from 'tap';
import { openCircuits } from '../circuit.ts';

t.test('failures in a row open a circuit; after the pause one more failure is enough', (t) => {
  let now = 0;
  const circuits = openCircuits({ failures: 3, pause: 1_000 }, () => now);
  circuits.failed('a');
  circuits.failed('a');
  circuits.answered('a');
  circuits.failed('a');
  circuits.failed('a');
  t.notOk(circuits.isOpen('a'), 'an answer begins the count again');
  circuits.failed('a');
  t.ok(circuits.isOpen('a'));
  t.notOk(circuits.isOpen('b'), 'other destinations go on');
  now = 999;
  t.ok(circuits.isOpen('a'));
  now = 1_000;
  t.notOk(circuits.isOpen('a'), 'it is tried after the pause');
  circuits.failed('a');
  t.ok(circuits.isOpen('a'));
  now = 2_000;
  circuits.answered('a');
  circuits.failed('a');
  t.notOk(circuits.isOpen('a'));
  t.end();
});

t.test('a destination that asks for a pause gets it at once, and not a shorter one', (t) => {
  let now = 0;
  const circuits = openCircuits({ failures: 3, pause: 1_000 }, () => now);
  circuits.failed('a', 5);
  circuits.failed('b', 0.1);
  now = 999;
  t.ok(circuits.isOpen('b'));
  now = 4_999;
  t.ok(circuits.isOpen('a'));
  now = 5_000;
  t.notOk(circuits.isOpen('a'));
  t.end();
});
