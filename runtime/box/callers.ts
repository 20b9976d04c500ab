/**
 * The callers of a box: the caller that each access kind authenticates, and what a handler gets for the access of its
 * route. A caller is of one kind: staff have no shopper session, and shoppers are not staff.
 */
import type { AccessKind } from '../http/credentials.ts';
import type { AccessOf, CallerOf } from '../http/route.ts';
import type { MetricsReader } from '../operations/metrics/access.ts';
import type { MemberSession, ShopperSession } from './shopper-session.ts';
import type { StaffCaller } from './staff-caller.ts';
import type { Tenant, TenantScope } from './tenancy.ts';

/** The caller that each access kind returns. */
interface CallerByAccess {
  /** A shopper, guest or member. Before the first write the session does not exist yet. */
  session: { session: ShopperSession };
  member: { session: MemberSession };
  staff: { staff: StaffCaller };
  /** An API key, which acts as staff. */
  apiKey: { staff: StaffCaller };
  operator: { staff: StaffCaller };
  hosting: { hosting: true };
  metrics: MetricsReader;
}

/** Access kinds whose routes may be called without a tenant: they concern the box. */
export const boxAccessKinds = ['operator', 'hosting'] as const;

type TenantFor<Name> = { tenant: Name extends (typeof boxAccessKinds)[number] ? Tenant | null : Tenant };

/** The caller and the tenant that a handler gets, by the access that its route declares. */
export type BoxCallers = { [Name in keyof CallerByAccess]: CallerByAccess[Name] & TenantFor<Name> } & {
  public: TenantFor<'public'>;
};

export type BoxAccess = AccessOf<BoxCallers>;
export type BoxCallerOf<Access> = CallerOf<BoxCallers, Access>;

/** An authenticated caller of any kind. */
export type BoxCaller = CallerByAccess[keyof CallerByAccess];

/** An access kind by its name: it returns the caller that the handlers of its routes get. */
export type BoxAccessKind<Name extends keyof CallerByAccess = keyof CallerByAccess> = {
  [Each in Name]: AccessKind<TenantScope, CallerByAccess[Each], Each> & Substitute<Each>;
}[Name];

interface Substitute<Name extends keyof CallerByAccess> {
  /**
   * Name of another access kind that returns the same caller. This kind is accepted wherever that kind needs a
   * permission, but not on routes about the caller itself (`permission: false`).
   */
  readonly substitutesFor?: SameAs<Name>;
}

type SameAs<Name extends keyof CallerByAccess> = {
  [Each in keyof CallerByAccess]: CallerByAccess[Name] extends CallerByAccess[Each] ? Each : never;
}[keyof CallerByAccess];
