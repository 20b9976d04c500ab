/**
 * What a handler of a package's route is given: the same for all, and its caller by the access that the route declares.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import type { HasExtensions } from '../extension/extension.ts';
import { type Route, type RouteOverrides, routeFor } from '../http/route.ts';
import type { BoxAccess, BoxCaller, BoxCallerOf, BoxCallers } from './callers.ts';
import type { ShopperSession } from './shopper-session.ts';
import type { StaffCaller } from './staff-caller.ts';
import type { Tenant, TenantScope } from './tenancy.ts';
import type { Tier } from './tier.ts';

/** What a box says of a package that it has mounted. */
export interface MountedPackage {
  /** Full npm name. */
  readonly fullName: string;
  readonly version: string;
  /** The least tier that has it. */
  readonly tier: Tier;
}

/** The box a request reached. */
export interface Box {
  readonly tier: Tier;
  readonly packages: readonly MountedPackage[];
  readonly database: Database;
  /** Every permission that the mounted routes ask for. */
  readonly permissions: readonly string[];
  /** Call after changing a tenant or its hosts: they are remembered for a few seconds. */
  forgetTenants(): void;
}

export interface BoxServices {
  /** The tenant's database; the one way to reach it. */
  db: TenantDatabase;
  box: Box;
  log: Logger;
  /**
   * On a route whose work is done in steps (`outsideTransaction`), called with an Idempotency-Key: an id for what the work makes,
   * the same at each try with this key, so that a try finds what the one before it has done.
   */
  workId?: string;
  /** Headers of the request by their names in lower case; for what no schema can say, as a provider's signature. */
  headers: IncomingHttpHeaders;
  /** Cookies of the request and of its answer, for routes that open and end sessions; for TLS only where `secure`. */
  cookies: Pick<Context['cookies'], 'get' | 'set' | 'secure'>;
  /** Address of the caller, and what it says it is; for records of sign-ins. */
  client: { address: string; userAgent: string };
}

/** All that a handler is given whose route declares this access: `ServicesFor<'staff'>` has `staff`. */
export type ServicesFor<Access extends BoxAccess> = BoxServices & BoxCallerOf<Access>;

/** The services of a request, whoever calls. */
export interface RequestServices extends BoxServices {
  /** The merchant this request is for; null of the box's own routes, and may be of the operator's. */
  tenant: Tenant | null;
  staff?: StaffCaller;
  session?: ShopperSession;
}

/** Makes the services of a request. What staff write is written down as theirs. */
export function requestServices(
  ctx: Context,
  { tenant, db }: TenantScope,
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
    client: { address: ctx.ip, userAgent: ctx.get('user-agent').slice(0, 255) },
  };
}

/** The `route` of every package of a box. */
export const route = routeFor<BoxServices, BoxCallers>();

/**
 * A route whose declaration takes in what other packages contribute in the box that mounts it: the problems of steps,
 * the shapes of settings. What `vary` answers stands in place of what was declared. It must have the types that the
 * handler was written for.
 * @example export const createOrder = varying(route({ … }, handler), (box) => ({
 *            problems: [cartEmpty, ...orderPlacing.of(box).flatMap(({ problems }) => problems)] }));
 */
export function withOverrides(
  declared: Route<BoxServices>,
  vary: (box: HasExtensions) => RouteOverrides,
): Route<BoxServices> {
  return { ...declared, overrides: vary };
}
