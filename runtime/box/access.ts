/**
 * The access kinds of a box: the engine's own, and those that packages contribute.
 */
import { extensionPoint, type HasExtensions } from '../extension/extension.ts';
import { accessKindsOf, type Route, type RouteDeclaration } from '../http/route.ts';
import { metricsAccess } from '../operations/metrics/access.ts';
import { type BoxAccessKind, boxAccessKinds } from './callers.ts';
import type { BoxServices } from './services.ts';
import { type SessionOptions, shopperAccess } from './shopper-session.ts';
import { hostingAccess, operatorAccess, type TenantScope } from './tenancy.ts';

/** Options of the box, for the access kinds of packages. */
export interface AccessOptions {
  /** Whether cookies are sent over TLS only, and only to the host that set them (the `__Host-` prefix). */
  secureCookies: boolean;
}

/** Access kinds of packages: `auth` contributes `staff`, and `api-key` a substitute for it. */
export const accessKinds = extensionPoint<BoxAccessKind | ((options: AccessOptions) => BoxAccessKind)>('access');

const metricsReaderAccess = metricsAccess<TenantScope>(({ secrets }) => secrets.metrics);

/** All access kinds of a box. */
export function accessKindsIn(box: HasExtensions, sessions: SessionOptions): BoxAccessKind[] {
  const own = [...shopperAccess(box, sessions), operatorAccess, hostingAccess, metricsReaderAccess];
  const contributed = accessKinds.of(box).map((kind) => (typeof kind === 'function' ? kind(sessions) : kind));
  return [...own, ...contributed];
}

/** True for a route that may be called without a tenant: one of the operator or of the hosting layer. */
export function isBoxRoute({ declaration }: Pick<Route<never>, 'declaration'>): boolean {
  return accessKindsOf(declaration).some((kind) => boxAccessKinds.some((each) => each === kind));
}

/** Access of the routes for everyone: their callers are not known to the store. */
const shoppers: ReadonlySet<string> = new Set(['session', 'member']);
/**
 * Largest body in bytes that shoppers send, unless a route declares another: every text of theirs at its longest fits.
 * Parsing and checking a body occupies the event loop, which serves all tenants.
 */
export const shopperBodyLimit = 64 * 1024;

/** The limit of a body by who sends it; undefined for the general one. An upload has those of its files. */
function bodyLimitOf(declaration: RouteDeclaration): number | undefined {
  const { body, upload, bodyLimit } = declaration;
  const isForShoppers = accessKindsOf(declaration).every((kind) => shoppers.has(kind));
  return bodyLimit ?? (body && !upload && isForShoppers ? shopperBodyLimit : undefined);
}

/**
 * Returns the routes of a package. Each staff route gets its permission: `<package>:read` for reads, else
 * `<package>:write`, and each route for shoppers the limit of their bodies.
 * @param box applies the overrides that depend on its packages; without it, each declaration stays as written
 * @param kinds the access kinds of the box: a substitute is added wherever the kind that it substitutes for needs a
 * permission
 */
export function routesOf(
  { name, routes }: { name: string; routes: readonly Route<BoxServices>[] },
  box?: HasExtensions,
  kinds: readonly BoxAccessKind[] = [],
): Route<BoxServices>[] {
  return routes.map(({ handler, declaration: declared, overrides }) => {
    const declaration = { ...declared, ...(box && overrides?.(box as never)) };
    const names = accessKindsOf(declaration);
    const defaultPermission = `${name}:${declaration.method === 'get' ? 'read' : 'write'}`;
    const permission = declaration.permission ?? (names.includes('staff') ? defaultPermission : undefined);
    const substitutes = kinds.filter(
      ({ substitutesFor }) => permission && substitutesFor && names.includes(substitutesFor),
    );
    const access = substitutes.length > 0 ? [...names, ...substitutes.map((kind) => kind.name)] : declaration.access;
    const bodyLimit = bodyLimitOf(declaration);
    return {
      handler,
      declaration: {
        ...declaration,
        access,
        ...(permission !== undefined && { permission }),
        ...(bodyLimit !== undefined && { bodyLimit }),
      },
    };
  });
}
