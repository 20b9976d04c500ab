/**
 * Walking every route with valid requests, both sides the same way: so that each side has the same handles, numbers
 * and keys, and ids are known for what follows.
 */
import type { RouteDeclaration } from '../../http/route.ts';
import { describe } from './answers.ts';
import { type Examiner, isSuccess } from './examiner.ts';
import { askOf, draw, seedFor } from './requests.ts';
import type { Side } from './target.ts';

type Round = 'make' | 'remove';
/** Which share of what is optional the tries tell; each round begins with another. */
const optional = [25, 60, 0, 40, 80, 10, 50, 0];
/** A route that says the same again and again waits for the next round. */
const sameAnswers = 3;

/**
 * In the order in which things come to be: what creates, what changes, what reads, and what removes. Among equals in
 * the order of the packages, and every other round in any: an order is paid before it is canceled, or after.
 */
function inOrder(declarations: readonly RouteDeclaration[], round: Round, seed: number | null): RouteDeclaration[] {
  const rank = ({ method, path }: RouteDeclaration) => {
    // What stands in something goes before it.
    if (method === 'delete') return 4 - path.length / 1000;
    if (method === 'get') return 2;
    return method === 'post' && !path.includes(':') ? 0 : 1;
  };
  const walked = declarations.filter(({ method }) => method !== 'delete' || round === 'remove');
  const mixed = ({ operationId }: RouteDeclaration) => (seed === null ? 0 : seedFor(seed, operationId));
  return walked.sort((a, b) => rank(a) - rank(b) || mixed(a) - mixed(b));
}

/**
 * Walks all routes in both sides. What is made in one round is there to be used in the next: as long as that opens
 * more routes, but not for ever.
 */
export async function walk(examiner: Examiner, mostRounds: number): Promise<void> {
  const { sides } = examiner.target;
  const reached = sides.map(() => new Set<RouteDeclaration>());
  const count = () => reached.reduce((sum, { size }) => sum + size, 0);
  const walkRound = (number: number, round: Round) =>
    Promise.all(
      sides.map((side, index) => walkSide(examiner, side, number, round, reached[index] as Set<RouteDeclaration>)),
    );
  let number = 0;
  let quietRounds = 0;
  while (number < mostRounds && (quietRounds < 2 || differ(reached))) {
    const before = count();
    await walkRound(number++, 'make');
    quietRounds = count() > before ? 0 : quietRounds + 1;
  }
  await walkRound(number++, 'remove');
  // What is removed last is not there for those who come after.
  await walkRound(number, 'make');
}

/** What one side has reached and another has not can be reached. */
function differ(reached: readonly ReadonlySet<RouteDeclaration>[]): boolean {
  const [one, ...others] = reached;
  return others.some((each) => each.size !== one?.size || [...each].some((route) => !one.has(route)));
}

/** One after another: what an answer holds is there for the next request. */
async function walkSide(
  examiner: Examiner,
  side: Side,
  number: number,
  round: Round,
  reached: Set<RouteDeclaration>,
): Promise<void> {
  const seed = number % 2 === 0 ? null : seedFor(examiner.report.seed, number);
  for (const declaration of inOrder(examiner.target.declarations, round, seed)) {
    if (await walkRoute(examiner, side, declaration, number)) reached.add(declaration);
  }
}

/** Several things are changed, so that some fit together; one more of each is made a round, two in the first. */
function successesWanted({ method, path }: RouteDeclaration, round: number): number {
  const createsOne = method === 'post' && !path.includes(':');
  return createsOne && round > 0 ? 1 : 2;
}

/** True when the route has let one of its requests succeed. */
async function walkRoute(
  examiner: Examiner,
  side: Side,
  declaration: RouteDeclaration,
  round: number,
): Promise<boolean> {
  const seed = seedFor(examiner.report.seed, 'walk', declaration.operationId, round);
  let successes = 0;
  let answers: string[] = [];
  const wanted = successesWanted(declaration, round);
  for (const kind of examiner.kindsFor(side, declaration)) {
    const source = { pool: examiner.pool(side, kind), marker: side.marker, unmarked: examiner.unmarked };
    for (const attempt of optional.keys()) {
      // A list is read without a filter first: what it holds has to be seen.
      const isPlain = declaration.method === 'get' && attempt === 0;
      const share = isPlain ? 0 : optional[(attempt + round) % optional.length];
      if (successes === wanted) break;
      const [ask = {}] = draw(askOf(declaration, { ...source, optional: share, usual: true }), seed + attempt, 1);
      // The same key on both sides: what one has kept says nothing to the other.
      const headers = declaration.idempotent ? { 'idempotency-key': `walk ${seed} ${attempt}` } : undefined;
      const answer = await examiner.ask('valid', side, declaration, { kind }, { ...ask, headers });
      if (isSuccess(answer)) successes += 1;
      // What was not there has been forgotten: the next try names something else.
      const isForgotten = answer.status === 404 && declaration.path.includes(':');
      answers = [...answers, `${describe(answer)} ${isForgotten ? attempt : ''}`].slice(-sameAnswers);
      if (answers.length === sameAnswers && new Set(answers).size === 1) break;
    }
    if (successes > 0) return true;
    answers = [];
  }
  return false;
}
