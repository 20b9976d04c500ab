/**
 * Runs attacks one after another: first those that name the addresses of their callers, then those on a box that trusts no
 * proxy and has the limits of a new one.
 */
import { cartonOfBox } from '../shipped-stack/machine.ts';
import { readBoxEnvironment } from '../shipped-stack/settings.ts';
import type { Attack, Outcome } from './attack.ts';
import { Observation } from './observation.ts';
import type { Target } from './target.ts';

/** What the stack sets so that its callers are not limited. */
const isOfCallers = (name: string) => name === 'TRUST_PROXY' || name.startsWith('RATE_LIMIT_');

/** Orders wait for payments by hand. */
const withPayments = ['PAYMENT_ADAPTERS=manual'];

/** @param report is called with each outcome as it comes */
export async function runAttacks(
  attacks: readonly Attack[],
  target: Target,
  report: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const run = async (attack: Attack) => {
    const outcome = await runAttack(attack, target);
    outcomes.push(outcome);
    report(outcome);
  };
  const { settings } = target;
  const own = Object.entries(await readBoxEnvironment(settings)).filter(([name]) => isOfCallers(name));
  const [direct, others] = [attacks.filter(isDirect), attacks.filter((attack) => !isDirect(attack))];
  await cartonOfBox(settings, 'config set', ...withPayments, '--restart');
  try {
    for (const attack of others) await run(attack);
    if (direct.length > 0) await cartonOfBox(settings, 'config unset', ...own.map(([name]) => name), '--restart');
    for (const attack of direct) await run(attack);
  } finally {
    await cartonOfBox(settings, 'config unset', ...withPayments.map((setting) => setting.replace(/=.*/, '')));
    await cartonOfBox(settings, 'config set', ...own.map((pair) => pair.join('=')), '--restart');
  }
  return outcomes;
}

const isDirect = ({ direct }: Attack) => direct === true;

/** Runs one attack; whatever it throws, it was not held. */
export async function runAttack(attack: Attack, target: Target): Promise<Outcome> {
  const { name, tries } = attack;
  const observation = new Observation();
  const faults: string[] = [];
  try {
    await attack.run(target, observation);
    if (observation.came === '') faults.push('nothing was tried');
  } catch (error) {
    // It could not be carried out, so nobody knows whether it would have been held.
    faults.push(`it was not completed: ${(error as Error).message}`);
  }
  const all = [...observation.faults, ...faults];
  return { name, tries, held: all.length === 0, came: observation.came, faults: all };
}
