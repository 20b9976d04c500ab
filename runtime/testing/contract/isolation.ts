/**
 * Isolation: two sides have the same handles, numbers and keys, and each calls every route with the other's ids.
 * Another side's resource must look like one that does not exist; its data must be neither visible nor changed.
 */
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import type { TObject } from '../../http/schemas.ts';
import { type CheckedResponse, type ContractClient, paramsOf, type RequestValues, unknownId } from './client.ts';
import { nounsOfParameter } from './pool.ts';
import { draw, requestsFor, seedFor } from './requests.ts';
import { changedTables } from './rows.ts';
import type { Side } from './target.ts';

const attemptsPerRoute = 3;

/** Determines which ids belong to which side. Call it after both sides have been walked, while no request runs. */
export async function learnIds(client: ContractClient): Promise<void> {
  const { sides, rows } = client.target;
  const [one, other] = await Promise.all(sides.map((side) => rows.ids(side)));
  const only = (own: Set<string> = new Set(), others: Set<string> = new Set()) =>
    new Set([...own].filter((id) => !others.has(id)));
  client.ownIds.set(sides[0], only(one, other));
  client.ownIds.set(sides[1], only(other, one));
}

export async function checkIsolation(client: ContractClient): Promise<void> {
  const [one, other] = client.target.sides;
  await checkDirection(client, one, other);
  await checkDirection(client, other, one);
}

async function checkDirection(client: ContractClient, side: Side, victim: Side): Promise<void> {
  const { rows } = client.target;
  // What it has done itself may still change its rows.
  await client.target.finished?.(victim);
  let before = await rows.digest(victim);
  const reached = client.checked.filter(
    (declaration) =>
      !accessKindsOf(declaration).every((kind) => client.isWide(kind)) || accessKindsOf(declaration).length === 0,
  );
  // One route after another, to know which one changes a row.
  for (const declaration of reached) {
    await checkRoute(client, declaration, side, victim);
    const after = await rows.digest(victim);
    const changed = changedTables(before, after);
    if (changed.length > 0) {
      client.report.fail(declaration, 'no data of another party may change', `changed rows of ${changed.join(', ')}`);
    }
    before = after;
  }
}

async function checkRoute(
  client: ContractClient,
  declaration: RouteDeclaration,
  side: Side,
  victim: Side,
): Promise<void> {
  const kind = client.kindsFor(side, declaration).find((each) => !client.isWide(each));
  if (kind === undefined) return client.report.reportUntested(declaration, 'no caller of one side may use it');
  const { report } = client;
  const [own, others] = [client.pool(side, kind), client.pool(victim, kind).ids()];
  const seed = seedFor(report.seed, 'isolation', declaration.operationId, side.name);
  const ids = idsOf(declaration);
  const foreign = ids.filter((name) => others.pick(nounsOfParameter(declaration.path, name), 0) !== undefined);
  if (foreign.length < ids.length) report.reportUntested(declaration, "no id of another party's is known for its path");

  for (let attempt = 0; attempt < (ids.length > 0 ? attemptsPerRoute : 1); attempt++) {
    // Own values in the body with the other's ids in the path, then the other's ids everywhere.
    const [mine = {}] = draw(requestsFor(declaration, { pool: own }, others), seed + attempt, 1);
    const [theirs = {}] = draw(
      requestsFor(declaration, { pool: others }, ids.length > 0 ? own : others),
      seed + attempt,
      1,
    );
    for (const request of [mine, theirs])
      await client.request('isolation', side, declaration, { kind }, withKey(declaration, request));
    for (const name of foreign) await checkForeignId(client, declaration, side, kind, mine, name);
  }
  await checkForeignCredentials(client, declaration, side, victim);
}

/** Compares the response to another side's id with the response to an unknown id. */
async function checkForeignId(
  client: ContractClient,
  declaration: RouteDeclaration,
  side: Side,
  kind: string | null,
  request: RequestValues,
  name: string,
): Promise<void> {
  // The ids before it in the path are the side's own.
  const own = draw(requestsFor(declaration, { pool: client.pool(side, kind) }), seedFor(client.report.seed, name), 1)[0]
    ?.params;
  const foreign = { ...own, [name]: request.params?.[name] };
  const answer = await client.request('isolation', side, declaration, { kind }, { ...request, params: foreign });
  const unknown = { ...own, [name]: unknownId };
  const missing = await client.request('isolation', side, declaration, { kind }, { ...request, params: unknown });
  const same = answer.status === missing.status && answer.body?.code === missing.body?.code;
  client.expect(declaration, `another party's id must be as an unknown one (${outcome(missing)})`, same, answer);
  const isRefused = answer.status === 404 || isInvalidBody(answer);
  client.expect(declaration, "another party's id must be 404", isRefused, answer);
}

/** An invalid body may be refused before the id is checked. */
function isInvalidBody({ status, body }: CheckedResponse): boolean {
  return status === 400 && body?.code === 'invalid_request';
}

function outcome({ status, body }: CheckedResponse): string {
  return `${status} ${body?.code ?? ''}`.trim();
}

/** Sends the other side's session, key or token, also to routes that do not require one. */
async function checkForeignCredentials(
  client: ContractClient,
  declaration: RouteDeclaration,
  side: Side,
  victim: Side,
): Promise<void> {
  if (!client.target.requestsNameSide) return;
  const seed = seedFor(client.report.seed, 'foreign credentials', declaration.operationId);
  const [request = {}] = draw(requestsFor(declaration, { pool: client.pool(victim, null).ids() }), seed, 1);
  for (const kind of accessKindsOf(declaration)) {
    const credential = client.isWide(kind) ? undefined : victim.credential(kind);
    if (!credential) continue;
    const headers = { ...side.routingHeaders(), ...credential };
    await client.request('isolation', side, declaration, { headers }, withKey(declaration, request));
  }
}

/** Adds the same idempotency key on both sides. */
function withKey(declaration: RouteDeclaration, request: RequestValues): RequestValues {
  return declaration.idempotent
    ? { ...request, headers: { 'idempotency-key': `isolation ${JSON.stringify(request.params)}` } }
    : request;
}

function idsOf(declaration: RouteDeclaration): string[] {
  const properties = Object.entries((paramsOf(declaration) as TObject | undefined)?.properties ?? {});
  return properties.filter(([, { format }]) => format === 'uuid').map(([name]) => name);
}
