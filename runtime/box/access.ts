/**
 * The ways to be allowed into a box: the engine's own, and those that packages contribute.
 */
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { accessKindsOf, type Route } from '../http/route.ts';
import { metricsAccess } from '../operations/metrics/access.ts';
import { type BoxAccessKind, boxAccessKinds } from './callers.ts';
import type { BoxServices } from './services.ts';
import { type SessionOptions, shopperAccess } from './shopper-session.ts';
import { hostingAccess, operatorAccess, type TenantScope } from './tenancy.ts';

/** What access kinds of packages are told of the box. */
export interface AccessOptions {
  /** Whether browsers send cookies over TLS only, to the very host that set them: their names say so (`__Host-`). */
  secureCookies: boolean;
}

/** Access kinds of packages: `auth` contributes `staff`, `api-key` what stands in for it. */
export const accessKinds = extensionPoint<BoxAccessKind | ((options: AccessOptions) => BoxAccessKind)>('access');

const metricsReaderAccess = metricsAccess<TenantScope>(({ secrets }) => secrets.metrics);

/** The access kinds of a box. */
export function accessKindsIn(box: HasExtensions, sessions: SessionOptions): BoxAccessKind[] {
  const own = [...shopperAccess(box, sessions), operatorAccess, hostingAccess, metricsReaderAccess];
  const contributed = accessKinds.of(box).map((kind) => (typeof kind === 'function' ? kind(sessions) : kind));
  return [...own, ...contributed];
}

/** True for a route that may be called without a tenant: the operator's and the hosting layer's. */
export function isBoxRoute({ declaration }: Pick<Route<never>, 'declaration'>): boolean {
  return accessKindsOf(declaration).some((kind) => boxAccessKinds.some((each) => each === kind));
}

/**
 * A package's routes, each staff route with the right it asks for: `<package>:read` for reads, else `<package>:write`.
 * @param box takes in what its packages contribute to declarations; left out, each is as it was written
 * @param kinds what this box knows: a kind that stands in for another is let in wherever that one is asked for a right
 */
export function routesOf(
  { name, routes }: { name: string; routes: readonly Route<BoxServices>[] },
  box?: HasExtensions,
  kinds: readonly BoxAccessKind[] = [],
): Route<BoxServices>[] {
  return routes.map(({ handler, declaration: declared, overrides }) => {
    const declaration = { ...declared, ...(box && overrides?.(box as never)) };
    const asked = accessKindsOf(declaration);
    const right = `${name}:${declaration.method === 'get' ? 'read' : 'write'}`;
    const permission = declaration.permission ?? (asked.includes('staff') ? right : undefined);
    const standIns = kinds.filter(
      ({ substitutesFor }) => permission && substitutesFor && asked.includes(substitutesFor),
    );
    const access = standIns.length > 0 ? [...asked, ...standIns.map((kind) => kind.name)] : declaration.access;
    return { handler, declaration: { ...declaration, access, ...(permission !== undefined && { permission }) } };
  });
}
