/**
 * Rig: random sales through the steps that compute totals, made into orders and refunded line by line; then carts of real
 * boxes through checkout and refunds over HTTP.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Findings, Rig, Stage } from '../support/rig.ts';
import { checkCharges, checkRefunds, checkTotals } from './check.ts';
import { checkChosenFee } from './chosen-fee.ts';
import { checkExpected } from './expected.ts';
import { featuresOf } from './features.ts';
import { checkOverHttp } from './over-http.ts';
import { scenarioOf } from './scenario.ts';
import { orderOf, totalsOf } from './totals.ts';

export const rig: Rig = {
  about:
    'Random sales with taxes, promotions and shipping in currencies of 0, 2 and 3 decimals, refunded in random order: all sums agree.',
  options: {
    cases: { about: 'sales computed in the process', defaultValue: '100000', short: '2000' },
    carts: { about: 'carts ordered and refunded over HTTP', defaultValue: '300', short: '12' },
    seed: { about: 'seed of the first sale; each of the others has the next one', defaultValue: '1' },
  },
  timeLimit: (stage) => 120 + stage.number('cases') / 50 + stage.number('carts') * 10,
  run,
};

/** The most broken promises that are reported. */
const maxReported = 20;

async function run(stage: Stage): Promise<Findings> {
  const broken: string[] = [];
  const counts: Record<string, number> = {};
  const count = (features: Readonly<Record<string, number | boolean>>) => {
    for (const [name, value] of Object.entries(features)) counts[name] = (counts[name] ?? 0) + Number(value);
  };
  const [cases, first] = [stage.number('cases'), stage.number('seed')];
  for (let done = 0; done < cases && broken.length < maxReported; done++) {
    const seed = first + done;
    try {
      count({ cases: 1, ...checkCase(seed) });
    } catch (error) {
      broken.push(`--cases 1 --carts 0 --seed ${seed}: ${(error as Error).message}`);
    }
    if (done % 500 === 0) {
      await nextTurn();
      stage.signal.throwIfAborted();
    }
    if (done > 0 && done % Math.ceil(cases / 10) === 0) stage.say(`${done} of ${cases} sales`);
  }
  stage.say(`${counts.cases ?? 0} sales, ${broken.length} broken`);
  const carts = stage.number('carts');
  if (carts > 0) {
    const overHttp = await checkOverHttp(stage, { carts, seed: first });
    broken.push(...overHttp.broken);
    count(overHttp.counts);
  }
  return { broken, counts };
}

/** Computes, orders and refunds the sale of a seed; returns what was in it. @throws Error with the first broken promise */
function checkCase(seed: number): Record<string, number | boolean> {
  const scenario = scenarioOf(seed);
  const draft = totalsOf(scenario);
  checkTotals(draft);
  checkExpected(scenario, draft);
  const chosenFees = checkChosenFee(scenario, draft);
  const charges = checkCharges(orderOf(draft), draft);
  const { refunds, units, amounts, failed } = checkRefunds(charges, seed);
  const refunded = { refunds, refundedUnits: units, refundedAmounts: amounts, failedRefunds: failed };
  return { ...featuresOf(scenario, draft), ...refunded, chosenFees };
}
