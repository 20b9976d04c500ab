/**
 * Calls every route with valid requests, in the same way for both sides, so that both have the same handles, numbers
 * and keys, and ids are known for the checks that follow.
 */
import type fc from 'fast-check';
import type { RouteDeclaration } from '../../http/route.ts';
import { type ContractClient, isSuccess, type RequestValues } from './client.ts';
import { draw, requestsFor, seedFor } from './requests.ts';
import { describe } from './responses.ts';
import type { Side } from './target.ts';

type Round = 'make' | 'remove';
/** Percentage of optional properties for each attempt; each round begins with another. */
const optional = [25, 60, 0, 40, 80, 10, 50, 0];
/** After this many equal responses in a row a route waits for the next round. */
const maxEqualResponses = 3;

/**
 * Sorts routes: those that create, change, read, and delete. Routes of the same rank stay in the order of the packages
 * or, in every other round, are shuffled: an order is paid before it is canceled, or after.
 */
function inOrder(declarations: readonly RouteDeclaration[], round: Round, seed: number | null): RouteDeclaration[] {
  const rank = ({ method, path }: RouteDeclaration) => {
    // Parts are deleted before the resource that contains them.
    if (method === 'delete') return 4 - path.length / 1000;
    if (method === 'get') return 2;
    return method === 'post' && !path.includes(':') ? 0 : 1;
  };
  const included = declarations.filter(({ method }) => method !== 'delete' || round === 'remove');
  const shuffled = ({ operationId }: RouteDeclaration) => (seed === null ? 0 : seedFor(seed, operationId));
  return included.sort((a, b) => rank(a) - rank(b) || shuffled(a) - shuffled(b));
}

/**
 * Calls all routes for these sides. A round can use what the one before created: rounds continue while more routes
 * succeed, up to a maximum.
 */
export async function walk(
  client: ContractClient,
  { sides, maxRounds }: { sides: readonly Side[]; maxRounds: number },
): Promise<void> {
  const reached = sides.map(() => new Set<RouteDeclaration>());
  const drawn = sides.map((side) => new DrawnRequests(client, side));
  const count = () => reached.reduce((sum, { size }) => sum + size, 0);
  const walkRound = (number: number, round: Round) =>
    Promise.all(
      drawn.map((requests, index) => walkSide(requests, number, round, reached[index] as Set<RouteDeclaration>)),
    );
  let number = 0;
  let quietRounds = 0;
  while (number < maxRounds && (quietRounds < 2 || differ(reached))) {
    const before = count();
    await walkRound(number++, 'make');
    quietRounds = count() > before ? 0 : quietRounds + 1;
  }
  await walkRound(number++, 'remove');
  // Creates again what was deleted, for the checks that follow.
  await walkRound(number, 'make');
}

/** True if a route succeeded for one side only: it can succeed for the other too. */
function differ(reached: readonly ReadonlySet<RouteDeclaration>[]): boolean {
  const [one, ...others] = reached;
  return others.some((each) => each.size !== one?.size || [...each].some((route) => !one.has(route)));
}

/** Draws the requests of a side; what generates those of a route is made once, since that costs as much as a draw. */
class DrawnRequests {
  readonly client: ContractClient;
  readonly side: Side;
  readonly #generators = new Map<string, fc.Arbitrary<RequestValues>>();
  /** Percentage of the optional properties. */
  #share = 0;

  constructor(client: ContractClient, side: Side) {
    this.client = client;
    this.side = side;
  }

  draw(declaration: RouteDeclaration, kind: string | null, share: number, seed: number): RequestValues {
    const key = `${declaration.operationId} ${kind}`;
    const generator = this.#generators.get(key) ?? this.#generatorOf(declaration, kind);
    this.#generators.set(key, generator);
    this.#share = share;
    return draw(generator, seed, 1)[0] as RequestValues;
  }

  #generatorOf(declaration: RouteDeclaration, kind: string | null): fc.Arbitrary<RequestValues> {
    const { client, side } = this;
    const source = {
      pool: client.pool(side, kind),
      marker: client.markerOf(side, declaration),
      unmarked: client.unmarked,
    };
    return requestsFor(declaration, { ...source, optional: () => this.#share, preferExamples: true });
  }
}

/** Calls the routes one after another, so that each request can use the values of earlier responses. */
async function walkSide(
  requests: DrawnRequests,
  number: number,
  round: Round,
  reached: Set<RouteDeclaration>,
): Promise<void> {
  const { called, report } = requests.client;
  const seed = number % 2 === 0 ? null : seedFor(report.seed, number);
  for (const declaration of inOrder(called, round, seed)) {
    if (await walkRoute(requests, declaration, number)) reached.add(declaration);
  }
}

/** The number of successes to reach: one new resource of each kind a round, two in the first; two changes. */
function targetSuccesses({ method, path }: RouteDeclaration, round: number): number {
  const createsOne = method === 'post' && !path.includes(':');
  return createsOne && round > 0 ? 1 : 2;
}

/** Resolves to true when a request of the route succeeded. */
async function walkRoute(requests: DrawnRequests, declaration: RouteDeclaration, round: number): Promise<boolean> {
  const { client, side } = requests;
  const seed = seedFor(client.report.seed, 'walk', declaration.operationId, round);
  let successes = 0;
  let answers: string[] = [];
  const target = targetSuccesses(declaration, round);
  for (const kind of client.kindsFor(side, declaration)) {
    for (const attempt of optional.keys()) {
      // A list is read without filters first, to collect its values.
      const isPlain = declaration.method === 'get' && attempt === 0;
      const share = isPlain ? 0 : (optional[(attempt + round) % optional.length] as number);
      if (successes === target) break;
      const request = requests.draw(declaration, kind, share, seed + attempt);
      // The same key on both sides: their stored responses must be separate.
      const headers = declaration.idempotent ? { 'idempotency-key': `walk ${seed} ${attempt}` } : undefined;
      const answer = await client.request('valid', side, declaration, { kind }, { ...request, headers });
      if (isSuccess(answer)) successes += 1;
      // After a 404 the id is removed from the pool, so that the next attempt uses another one.
      const isRemoved = answer.status === 404 && declaration.path.includes(':');
      answers = [...answers, `${describe(answer)} ${isRemoved ? attempt : ''}`].slice(-maxEqualResponses);
      if (answers.length === maxEqualResponses && new Set(answers).size === 1) break;
    }
    if (successes > 0) return true;
    answers = [];
  }
  return false;
}
