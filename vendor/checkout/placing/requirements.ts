/**
 * Runs the placing steps of a box: their requirements and the problems they may return.
 */
import { tenderProblemsIn } from '@carton/payment';
import {
  type HasExtensions,
  onceForBox,
  type ProblemDefinition,
  type ProblemType,
  runConcurrently,
  type TenantDatabase,
} from '@carton/runtime';
import { guestUnits } from '../guests/service.ts';
import { orderPlacing, type Placing, type PlacingStep, type Requirement } from '../steps.ts';
import { builtInSteps } from './built-in.ts';

/** The steps of a box, in execution order. */
export const stepsIn: (box: HasExtensions) => readonly PlacingStep[] = onceForBox((box) =>
  [...builtInSteps, guestUnits, ...orderPlacing.of(box)].sort((one, other) => one.order - other.order),
);

/** The steps of a box that take part in a phase, in execution order. */
export const stepsOfPhase = onceForBox((box) => ({
  claim: stepsIn(box).filter(({ claim }) => claim),
  write: stepsIn(box).filter(({ write }) => write),
}));

/** The codes that GET /checkout may list in a box. */
export function requirementCodesIn(box: HasExtensions): string[] {
  return [...new Set(stepsIn(box).flatMap(({ requirements = {} }) => Object.keys(requirements)))];
}

/** The problems with which the steps and tenders of a box may reject an order. */
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

/** Finds unmet requirements, step by step. @throws Error naming a step that returns an undeclared code */
export async function findUnmet(db: TenantDatabase, placing: Placing): Promise<Unmet[]> {
  const steps = stepsIn(db);
  const requireAll = (one: TenantDatabase) =>
    runConcurrently(steps.map((step) => () => step.require?.(one, placing) ?? []));
  // The built-in steps have all data already: without other steps, no connection is needed.
  const unmet = await (orderPlacing.of(db).some(({ require }) => require) ? db.pipelined(requireAll) : requireAll(db));
  return steps.flatMap(({ name, requirements = {} }, index) =>
    (unmet[index] ?? []).map((requirement) => {
      const problem = requirements[requirement.code];
      if (!problem) throw new Error(`placing step ${name} does not declare the requirement ${requirement.code}`);
      return { ...requirement, problem };
    }),
  );
}

/** @throws the problem of the first unmet requirement, with the details of all requirements that share it */
export async function rejectUnmet(db: TenantDatabase, placing: Placing): Promise<void> {
  const unmet = await findUnmet(db, placing);
  const [first] = unmet;
  if (!first) return;
  const same = unmet.filter(({ problem }) => problem.code === first.problem.code);
  const errors = same.flatMap((requirement) => requirement.errors ?? []);
  const detail = same.map((requirement) => requirement.detail).join(' ');
  const { retryAfter } = first;
  throw first.problem(detail, {
    ...(errors.length > 0 && { errors }),
    ...(retryAfter !== undefined && { headers: { 'Retry-After': String(retryAfter) } }),
  });
}
