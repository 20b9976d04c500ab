/**
 * What a handler of a package's route is given.
 */
import type { Logger } from 'pino';
import type { Actor } from '../db/changes.ts';
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { routeFor } from '../http/route.ts';
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
  /** Address of the caller, and what it says it is; for records of sign-ins. */
  client: { address: string; userAgent: string };
}

/** The `route` of every package of a box. */
export const route = routeFor<BoxServices>();
