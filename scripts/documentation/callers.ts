/**
 * Who may call an operation: from its access kinds and its permission, for docs/routes.md and the test that calls a box.
 */
import { permissionsOfRole, permits } from '@carton/auth';
import { accessKindsOf, type RouteDeclaration } from '../../runtime/http/route.ts';

/** Those who may call a box, by their credentials. */
export const callers = [
  'anyone',
  'session',
  'member',
  'viewer',
  'manager',
  'owner',
  'API key',
  'operator',
  'hosting',
] as const;
export type CallerName = (typeof callers)[number];

const roles = ['viewer', 'manager', 'owner'] as const;

/** The callers whom an operation accepts. An API key has the scope of its permission. */
export function callersOf(declaration: RouteDeclaration): CallerName[] {
  const kinds = accessKindsOf(declaration);
  if (kinds.length === 0) return [...callers];
  const { permission } = declaration;
  const allows: Record<CallerName, boolean> = {
    // A session begins with the first request that stores something for it.
    anyone: kinds.includes('session'),
    session: kinds.includes('session'),
    // What shoppers may do, members may.
    member: kinds.includes('session') || kinds.includes('member'),
    viewer: isForRole(kinds, permission, 'viewer'),
    manager: isForRole(kinds, permission, 'manager'),
    owner: isForRole(kinds, permission, 'owner'),
    'API key': kinds.includes('staff') && typeof permission === 'string',
    operator: kinds.includes('operator'),
    // It sends its secret in a header of its own, with the requests of shoppers too.
    hosting: kinds.includes('session') || kinds.includes('hosting'),
  };
  return callers.filter((caller) => allows[caller]);
}

function isForRole(kinds: readonly string[], permission: string | false | undefined, role: (typeof roles)[number]) {
  if (!kinds.includes('staff')) return false;
  return typeof permission !== 'string' || permits(permissionsOfRole[role], permission);
}

/** The callers in words: those with the fewest rights stand for those with more. */
export function callersText(declaration: RouteDeclaration): string {
  const allowed = callersOf(declaration);
  if (accessKindsOf(declaration).length === 0) return 'anyone';
  const shoppers = allowed.includes('session') ? ['shoppers'] : allowed.includes('member') ? ['members'] : [];
  const staff = roles.filter((role) => allowed.includes(role));
  const keys = allowed.includes('API key') ? [`keys with \`${declaration.permission}\``] : [];
  const services = accessKindsOf(declaration).filter((kind) => kind === 'operator' || kind === 'hosting');
  return [...shoppers, ...(staff.length === roles.length ? ['staff'] : staff), ...keys, ...services].join(', ');
}
