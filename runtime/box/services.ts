/**
 * The services that the handler of a package's route gets: those of every route, and its caller, by the access that the
 * route declares.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { HasExtensions } from '../extension/extension.ts';
import { secretsEqual } from '../http/credentials.ts';
import { type Route, type RouteOverrides, routeFor } from '../http/route.ts';
import { isPeerAddress, isSharedAddress } from '../http/trusted-proxy.ts';
import type { BoxAccess, BoxCaller, BoxCallerOf, BoxCallers } from './callers.ts';
import type { ShopperSession } from './shopper-session.ts';
import type { StaffCaller } from './staff-caller.ts';
import { hostingSecretHeader, type Tenant, type TenantScope } from './tenancy.ts';
import type { Tier } from './tier.ts';

/** A package that the box has mounted. */
export interface MountedPackage {
  /** Full npm name. */
  readonly fullName: string;
  readonly version: string;
  /** The lowest tier that includes it. */
  readonly tier: Tier;
}

/** The box that serves a request. */
export interface Box {
  readonly tier: Tier;
  readonly packages: readonly MountedPackage[];
  readonly database: Database;
  /** Every permission that a mounted route requires. */
  readonly permissions: readonly string[];
  /**
   * Call after changing a tenant or its hosts: look-ups are cached for a few seconds. Resolves when all workers of the box
   * have noticed; other replicas do in these seconds.
   */
  invalidateTenants(): Promise<void>;
}

/** The client of a request. */
export interface RequestClient {
  /** IP address, as the trusted proxies tell it. */
  readonly address: string;
  /**
   * Whether the address may be that of a server which sends the requests of many clients: a trusted proxy or the hosting
   * layer that names no client, or an address that is not public. Nothing that a client must not exceed is counted by it.
   */
  readonly isShared: boolean;
  /** User-Agent */
  readonly userAgent: string;
}

export interface BoxServices {
  /** The tenant's database. */
  db: TenantDatabase;
  box: Box;
  log: Logger;
  /**
   * On a route that works in steps (`outsideTransaction`) and was called with an Idempotency-Key: an id for the work, the same in
   * each attempt with this key, so that an attempt finds what earlier ones have done.
   */
  workId?: string;
  /** Request headers by lower-case name, for what a schema cannot describe, such as a provider's signature. */
  headers: IncomingHttpHeaders;
  /** Cookies of the request and the response, for routes that create and end sessions; TLS only where `secure`. */
  cookies: Pick<Context['cookies'], 'get' | 'set' | 'secure'>;
  client: RequestClient;
}

/** The services of a handler whose route declares this access: `ServicesFor<'staff'>` has `staff`. */
export type ServicesFor<Access extends BoxAccess> = BoxServices & BoxCallerOf<Access>;

/** The services of a request by any caller. */
export interface RequestServices extends BoxServices {
  /** The tenant of the request; null on routes about the box, and possibly on the operator's. */
  tenant: Tenant | null;
  staff?: StaffCaller;
  session?: ShopperSession;
}

/** Returns the services of a request. Changes by staff are recorded with them as the actor. */
export function requestServices(
  ctx: Context,
  { tenant, db, secrets }: TenantScope,
  caller: BoxCaller | null,
  { box, log }: Pick<BoxServices, 'box' | 'log'>,
): RequestServices {
  return {
    ...caller,
    tenant,
    db: caller && 'staff' in caller ? db.as(caller.staff) : db,
    box,
    log,
    headers: ctx.headers,
    cookies: ctx.cookies,
    client: clientOf(ctx, secrets),
  };
}

function clientOf(ctx: Context, secrets: TenantScope['secrets']): RequestClient {
  return {
    address: ctx.ip,
    get isShared() {
      const isHosting = () => isPeerAddress(ctx) && secretsEqual(ctx.get(hostingSecretHeader), secrets.hosting);
      return isSharedAddress(ctx) || isHosting();
    },
    userAgent: ctx.get('user-agent').slice(0, 255),
  };
}

/** The `route` function of every package of a box. */
export const route = routeFor<BoxServices, BoxCallers>();

/**
 * A route whose declaration includes what other packages contribute in the box that mounts it: the problems of checkout
 * steps, the shapes of settings. The overrides replace what was declared, and must fit the types of the handler.
 * @example export const createOrder = withOverrides(route({ … }, handler), (box) => ({
 *            problems: [cartEmpty, ...orderPlacing.of(box).flatMap(({ problems }) => problems)] }));
 */
export function withOverrides(
  declared: Route<BoxServices>,
  overrides: (box: HasExtensions) => RouteOverrides,
): Route<BoxServices> {
  return { ...declared, overrides };
}
