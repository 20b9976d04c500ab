/**
 * Authentication and authorisation: a request without a credential, with a foreign one or without the permission is
 * refused before anything else of it is checked, and changes nothing.
 */
import { accessKindsOf, type RouteDeclaration } from '../../http/route.ts';
import { type ContractClient, inParallel, type RequestValues } from './client.ts';
import { changedTables } from './rows.ts';
import type { Digest, Side } from './target.ts';
import type { RequestHeaders } from './wire.ts';

/** Invalid in other ways too: the response shows which check comes first. */
const invalidRequest: RequestValues = { params: {}, query: { 'no such': 'parameter' } };

export async function checkCredentials(client: ContractClient): Promise<void> {
  const { sides, rows } = client.target;
  const before = await Promise.all(sides.map((side) => rows.digest(side)));
  await inParallel(client.checked, async (declaration) => {
    checkDeclaration(client, declaration);
    if (isClosed(client, declaration)) await checkWithoutAccess(client, declaration);
    if (declaration.permission) await checkLimited(client, declaration);
  });
  const after = await Promise.all(sides.map((side) => rows.digest(side)));
  for (const [index, side] of sides.entries()) {
    const changed = changedTables(before[index] as Digest, after[index] as Digest);
    if (changed.length === 0) continue;
    client.report.fail(`rows of ${side.name}`, 'refused requests must change nothing', `changed ${changed.join(', ')}`);
  }
}

/** An admin route requires a permission, unless it is about the caller's own account. */
function checkDeclaration({ target, report }: ContractClient, declaration: RouteDeclaration): void {
  const isAdministration = declaration.path.startsWith('/admin/');
  if (!isAdministration || declaration.permission || target.needsNoPermission(declaration)) return;
  report.fail(declaration, 'an admin route must require a permission', 'open to all staff');
}

function isClosed({ target }: ContractClient, declaration: RouteDeclaration): boolean {
  const kinds = accessKindsOf(declaration);
  return kinds.length > 0 && !kinds.some((kind) => target.optionalAccess.has(kind));
}

async function checkWithoutAccess(client: ContractClient, declaration: RouteDeclaration): Promise<void> {
  const [side, other] = client.target.sides;
  const routingHeaders = side.routingHeaders();
  const wrong: [who: string, headers: RequestHeaders][] = [
    ['no credential', routingHeaders],
    ['a wrong bearer token', { ...routingHeaders, authorization: 'Bearer wrong' }],
    ['another scheme', { ...routingHeaders, authorization: 'Basic d3Jvbmc6d3Jvbmc=' }],
    ...foreignCredentials(client, side, other, declaration),
  ];
  for (const [who, headers] of wrong) {
    const answer = await client.request('credentials', side, declaration, { headers }, withBrokenBody(declaration));
    client.expect(declaration, `${who} must be 401`, answer.status === 401, answer);
  }
}

/** The other side's credentials, which must not be valid for this side. */
function foreignCredentials(
  client: ContractClient,
  side: Side,
  other: Side,
  declaration: RouteDeclaration,
): [string, RequestHeaders][] {
  if (!client.target.requestsNameSide) return [];
  return accessKindsOf(declaration).flatMap((kind): [string, RequestHeaders][] => {
    const credential = client.isWide(kind) ? undefined : other.credential(kind);
    return credential ? [[`the ${kind} credential of another`, { ...side.routingHeaders(), ...credential }]] : [];
  });
}

async function checkLimited(client: ContractClient, declaration: RouteDeclaration): Promise<void> {
  const [side] = client.target.sides;
  const { permission } = declaration;
  const limited = side.limited.find(
    ({ kind, permissions }) => accessKindsOf(declaration).includes(kind) && !permissions.includes(permission as string),
  );
  if (!limited) return client.report.reportUntested(declaration, `there is no caller that lacks ${permission}`);
  const headers = { ...side.routingHeaders(), ...limited.headers };
  const answer = await client.request('credentials', side, declaration, { headers }, withBrokenBody(declaration));
  const refused = answer.status === 403 && answer.body?.code === 'forbidden';
  client.expect(declaration, `a caller without ${permission} must be 403, whatever the body`, refused, answer);
}

function withBrokenBody(declaration: RouteDeclaration): RequestValues {
  return declaration.body ? { ...invalidRequest, raw: '{' } : invalidRequest;
}
