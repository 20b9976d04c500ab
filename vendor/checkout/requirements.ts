/**
 * The steps of a box, run: what they ask for, and what they may refuse with.
 */

import { tenderProblemsIn } from '@carton/payment';
import {
  type HasExtensions,
  type ProblemDefinition,
  type ProblemType,
  runConcurrently,
  type TenantDatabase,
} from '@carton/runtime';
import { orderPlacing, type Placing, type PlacingStep, type Requirement } from './placing.ts';
import { builtInSteps } from './steps.ts';

/** The steps of a box, in their order. */
export function stepsIn(box: HasExtensions): PlacingStep[] {
  return [...builtInSteps, ...orderPlacing.of(box)].sort((one, other) => one.order - other.order);
}

/** The codes that GET /checkout may list in a box. */
export function requirementCodesIn(box: HasExtensions): string[] {
  return [...new Set(stepsIn(box).flatMap(({ requirements = {} }) => Object.keys(requirements)))];
}

/** What the steps and tenders of a box may refuse an order with. */
export function placingProblemsIn(box: HasExtensions): ProblemType[] {
  const steps = stepsIn(box).flatMap(({ requirements = {}, problems = [] }) => [
    ...Object.values(requirements),
    ...problems,
  ]);
  return [...steps, ...tenderProblemsIn(box)];
}

interface Unmet extends Requirement {
  problem: ProblemDefinition;
}

/** What is not as it has to be, step by step. @throws Error naming the step that answers an undeclared code */
export async function findUnmet(db: TenantDatabase, placing: Placing): Promise<Unmet[]> {
  const steps = stepsIn(db);
  const ask = (one: TenantDatabase) => runConcurrently(steps.map((step) => () => step.require?.(one, placing) ?? []));
  // What the built-in steps look at is read already: without others no connection is taken.
  const answers = await (orderPlacing.of(db).some(({ require }) => require) ? db.pipelined(ask) : ask(db));
  return steps.flatMap(({ name, requirements = {} }, index) =>
    (answers[index] ?? []).map((requirement) => {
      const problem = requirements[requirement.code];
      if (!problem) throw new Error(`placing step ${name} does not declare the requirement ${requirement.code}`);
      return { ...requirement, problem };
    }),
  );
}

/** @throws the problem of the first requirement that is not met, with all that it is the problem of */
export async function refuseUnmet(db: TenantDatabase, placing: Placing): Promise<void> {
  const unmet = await findUnmet(db, placing);
  const [first] = unmet;
  if (!first) return;
  const same = unmet.filter(({ problem }) => problem.code === first.problem.code);
  const errors = same.flatMap((requirement) => requirement.errors ?? []);
  const detail = same.map((requirement) => requirement.detail).join(' ');
  throw first.problem(detail, errors.length > 0 ? { errors } : {});
}
