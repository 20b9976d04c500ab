/**
 * Two sides that have the same handles, numbers and keys: each route walked by one with the other's ids. What is
 * another's answers as what is not there, nothing of it is seen and nothing of it changes.
 */
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import type { TObject } from '../../http/schemas.ts';
import { type Ask, type Examiner, type Heard, paramsOf, unknownId } from './examiner.ts';
import { nounsOfParameter } from './pool.ts';
import { askOf, draw, seedFor } from './requests.ts';
import { changedTables } from './rows.ts';
import type { Side } from './target.ts';

const triesARoute = 3;

/** Learns which ids are whose. Call it when both sides have been walked and one of them rests. */
export async function learnIds(examiner: Examiner): Promise<void> {
  const { sides, rows } = examiner.target;
  const [one, other] = await Promise.all(sides.map((side) => rows.ids(side)));
  const only = (own: Set<string> = new Set(), others: Set<string> = new Set()) =>
    new Set([...own].filter((id) => !others.has(id)));
  examiner.ownIds.set(sides[0], only(one, other));
  examiner.ownIds.set(sides[1], only(other, one));
}

export async function checkIsolation(examiner: Examiner): Promise<void> {
  const [one, other] = examiner.target.sides;
  await checkDirection(examiner, one, other);
  await checkDirection(examiner, other, one);
}

async function checkDirection(examiner: Examiner, side: Side, victim: Side): Promise<void> {
  const { declarations, rows } = examiner.target;
  let before = await rows.digest(victim);
  const reached = declarations.filter(
    (declaration) =>
      !accessKindsOf(declaration).every((kind) => examiner.isWide(kind)) || accessKindsOf(declaration).length === 0,
  );
  // One route after another: a row that changes is the doing of one.
  for (const declaration of reached) {
    await checkRoute(examiner, declaration, side, victim);
    const after = await rows.digest(victim);
    const changed = changedTables(before, after);
    if (changed.length > 0) {
      examiner.report.fail(declaration, 'nothing of another must change', `changed rows of ${changed.join(', ')}`);
    }
    before = after;
  }
}

async function checkRoute(examiner: Examiner, declaration: RouteDeclaration, side: Side, victim: Side): Promise<void> {
  const kind = examiner.kindsFor(side, declaration).find((each) => !examiner.isWide(each));
  if (kind === undefined) return examiner.report.leaveUnproven(declaration, 'no caller of one side may use it');
  const { report } = examiner;
  const [own, others] = [examiner.pool(side, kind), examiner.pool(victim, kind).ids()];
  const seed = seedFor(report.seed, 'isolation', declaration.operationId, side.name);
  const ids = idsOf(declaration);
  const foreign = ids.filter((name) => others.pick(nounsOfParameter(declaration.path, name), 0) !== undefined);
  if (foreign.length < ids.length) report.leaveUnproven(declaration, 'no id of another is known for its path');

  for (let attempt = 0; attempt < (ids.length > 0 ? triesARoute : 1); attempt++) {
    // Its own things in the body, the other's in the path; then the other's everywhere.
    const [mine = {}] = draw(askOf(declaration, { pool: own }, others), seed + attempt, 1);
    const [theirs = {}] = draw(askOf(declaration, { pool: others }, ids.length > 0 ? own : others), seed + attempt, 1);
    for (const ask of [mine, theirs])
      await examiner.ask('isolation', side, declaration, { kind }, withKey(declaration, ask));
    for (const name of foreign) await checkForeignId(examiner, declaration, side, kind, mine, name);
  }
  await checkForeignCredentials(examiner, declaration, side, victim);
}

/** The same request with an id of another and with one that nothing has: the two answers say the same. */
async function checkForeignId(
  examiner: Examiner,
  declaration: RouteDeclaration,
  side: Side,
  kind: string | null,
  ask: Ask,
  name: string,
): Promise<void> {
  // Whatever stands before it in the path is the side's own.
  const own = draw(askOf(declaration, { pool: examiner.pool(side, kind) }), seedFor(examiner.report.seed, name), 1)[0]
    ?.params;
  const foreign = { ...own, [name]: ask.params?.[name] };
  const answer = await examiner.ask('isolation', side, declaration, { kind }, { ...ask, params: foreign });
  const unknown = { ...own, [name]: unknownId };
  const missing = await examiner.ask('isolation', side, declaration, { kind }, { ...ask, params: unknown });
  const same = answer.status === missing.status && answer.body?.code === missing.body?.code;
  examiner.expect(declaration, `an id of another must answer as an unknown one (${outcome(missing)})`, same, answer);
  const isRefused = answer.status === 404 || isOfTheBody(answer);
  examiner.expect(declaration, 'an id of another must be 404', isRefused, answer);
}

/** A body that can be right for nothing may be refused before the id is looked at. */
function isOfTheBody({ status, body }: Heard): boolean {
  return status === 400 && body?.code === 'invalid_request';
}

function outcome({ status, body }: Heard): string {
  return `${status} ${body?.code ?? ''}`.trim();
}

/** The other's session, key or token, brought along as one's own: on routes that are served without one too. */
async function checkForeignCredentials(
  examiner: Examiner,
  declaration: RouteDeclaration,
  side: Side,
  victim: Side,
): Promise<void> {
  if (!examiner.target.sidesAreReached) return;
  const seed = seedFor(examiner.report.seed, 'foreign credentials', declaration.operationId);
  const [ask = {}] = draw(askOf(declaration, { pool: examiner.pool(victim, null).ids() }), seed, 1);
  for (const kind of accessKindsOf(declaration)) {
    const credential = examiner.isWide(kind) ? undefined : victim.credential(kind);
    if (!credential) continue;
    const headers = { ...side.reach(), ...credential };
    await examiner.ask('isolation', side, declaration, { headers }, withKey(declaration, ask));
  }
}

/** The keys that the walk has used on both sides. */
function withKey(declaration: RouteDeclaration, ask: Ask): Ask {
  return declaration.idempotent
    ? { ...ask, headers: { 'idempotency-key': `isolation ${JSON.stringify(ask.params)}` } }
    : ask;
}

function idsOf(declaration: RouteDeclaration): string[] {
  const properties = Object.entries((paramsOf(declaration) as TObject | undefined)?.properties ?? {});
  return properties.filter(([, { format }]) => format === 'uuid').map(([name]) => name);
}
