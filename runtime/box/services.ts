/**
 * What a handler of a package's route is given.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import type { Logger } from 'pino';
import type { Actor } from '../db/changes.ts';
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { type Route, type RouteDeclaration, routeFor } from '../http/route.ts';
import type { HasExtensions } from '../package/extension.ts';
import type { LoadedPackage, Tier } from '../package/load.ts';
import type { ShopperSession } from './shopper-session.ts';
import type { Tenant } from './tenancy.ts';

/** The box a request reached. */
export interface Box {
  readonly tier: Tier;
  readonly packages: readonly LoadedPackage[];
  readonly database: Database;
  /** Every permission that the mounted routes ask for. */
  readonly permissions: readonly string[];
  /** Call after changing a tenant or its hosts: they are remembered for a few seconds. */
  forgetTenants(): void;
}

/** Somebody signed in to the administration, or the operator, who may do everything in the box. */
export interface StaffCaller extends Actor {
  /** `*` stands for every permission. */
  permissions: readonly string[];
  /** The session, for whoever ends it. */
  sessionId?: string;
}

export interface BoxServices {
  /** The merchant this request is for. Absent on routes of the operator and the hosting layer (`scope: 'box'`). */
  tenant: Tenant;
  /** The tenant's database; the one way to reach it. */
  db: TenantDatabase;
  box: Box;
  /** The caller of a staff route. */
  staff: StaffCaller;
  /** The shopper's session, on `session` routes. */
  session: ShopperSession;
  log: Logger;
  /**
   * On a route whose work is done in steps (`inSteps`), called with an Idempotency-Key: an id for what the work makes,
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

/** The `route` of every package of a box. */
export const route = routeFor<BoxServices>();

/**
 * A route whose declaration takes in what other packages contribute in the box that mounts it: the problems of steps,
 * the shapes of settings. What `vary` answers stands in place of what was declared. It must have the types that the
 * handler was written for.
 * @example export const createOrder = varying(route({ … }, handler), (box) => ({
 *            problems: [cartEmpty, ...orderPlacing.of(box).flatMap(({ problems }) => problems)] }));
 */
export function varying(
  declared: Route<BoxServices>,
  vary: (box: HasExtensions) => Partial<RouteDeclaration>,
): Route<BoxServices> {
  return { ...declared, varies: vary };
}
