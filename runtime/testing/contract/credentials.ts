/**
 * Who may call: nobody without a credential, nobody with another's, nobody without the right; asked before anything
 * else of the request is looked at, and changing nothing.
 */
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import { type Ask, type Examiner, inParallel } from './examiner.ts';
import { changedTables } from './rows.ts';
import type { Digest, Side } from './target.ts';
import type { RequestHeaders } from './wire.ts';

/** Wrong in every other way too: what is said first is what is checked first. */
const wrongThroughout: Ask = { params: {}, query: { 'no such': 'parameter' } };

export async function checkCredentials(examiner: Examiner): Promise<void> {
  const { declarations, sides, rows } = examiner.target;
  const before = await Promise.all(sides.map((side) => rows.digest(side)));
  await inParallel(declarations, async (declaration) => {
    checkDeclaration(examiner, declaration);
    if (isClosed(examiner, declaration)) await checkWithout(examiner, declaration);
    if (declaration.permission) await checkWeak(examiner, declaration);
  });
  const after = await Promise.all(sides.map((side) => rows.digest(side)));
  for (const [index, side] of sides.entries()) {
    const changed = changedTables(before[index] as Digest, after[index] as Digest);
    if (changed.length === 0) continue;
    examiner.report.fail(
      `rows of ${side.name}`,
      'refused requests must change nothing',
      `changed ${changed.join(', ')}`,
    );
  }
}

/** What is open to everybody says so for a reason. */
function checkDeclaration({ target, report }: Examiner, declaration: RouteDeclaration): void {
  const isAdministration = declaration.path.startsWith('/admin/');
  if (!isAdministration || declaration.permission || target.needsNoPermission(declaration)) return;
  report.fail(declaration, 'a route of the administration must ask for a permission', 'open to everybody who signs in');
}

function isClosed({ target }: Examiner, declaration: RouteDeclaration): boolean {
  const kinds = accessKindsOf(declaration);
  return kinds.length > 0 && !kinds.some((kind) => target.optionalAccess.has(kind));
}

async function checkWithout(examiner: Examiner, declaration: RouteDeclaration): Promise<void> {
  const [side, other] = examiner.target.sides;
  const reach = side.reach();
  const wrong: [who: string, headers: RequestHeaders][] = [
    ['no credential', reach],
    ['a wrong bearer token', { ...reach, authorization: 'Bearer wrong' }],
    ['another scheme', { ...reach, authorization: 'Basic d3Jvbmc6d3Jvbmc=' }],
    ...othersCredentials(examiner, side, other, declaration),
  ];
  for (const [who, headers] of wrong) {
    const answer = await examiner.ask('credentials', side, declaration, { headers }, withBrokenBody(declaration));
    examiner.expect(declaration, `${who} must be 401`, answer.status === 401, answer);
  }
}

/** What opens one side opens no other. */
function othersCredentials(
  examiner: Examiner,
  side: Side,
  other: Side,
  declaration: RouteDeclaration,
): [string, RequestHeaders][] {
  if (!examiner.target.sidesAreReached) return [];
  return accessKindsOf(declaration).flatMap((kind): [string, RequestHeaders][] => {
    const credential = examiner.isWide(kind) ? undefined : other.credential(kind);
    return credential ? [[`the ${kind} credential of another`, { ...side.reach(), ...credential }]] : [];
  });
}

async function checkWeak(examiner: Examiner, declaration: RouteDeclaration): Promise<void> {
  const [side] = examiner.target.sides;
  const { permission } = declaration;
  const weak = side.weak.find(
    ({ kind, permissions }) => accessKindsOf(declaration).includes(kind) && !permissions.includes(permission as string),
  );
  if (!weak) return examiner.report.leaveUnproven(declaration, `there is no caller who lacks ${permission}`);
  const headers = { ...side.reach(), ...weak.headers };
  const answer = await examiner.ask('credentials', side, declaration, { headers }, withBrokenBody(declaration));
  const refused = answer.status === 403 && answer.body?.code === 'forbidden';
  examiner.expect(declaration, `a caller without ${permission} must be 403, whatever the body`, refused, answer);
}

function withBrokenBody(declaration: RouteDeclaration): Ask {
  return declaration.body ? { ...wrongThroughout, raw: '{' } : wrongThroughout;
}
