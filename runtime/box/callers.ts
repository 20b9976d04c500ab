/**
 * Who calls a box: what each access kind lets in, and what a handler is given of it by the access of its route. One
 * caller is of one kind: who is staff has no shopper's session, and the other way round.
 */
import type { AccessKind } from '../http/credentials.ts';
import type { AccessOf, CallerOf } from '../http/route.ts';
import type { MetricsReader } from '../operations/metrics/access.ts';
import type { MemberSession, ShopperSession } from './shopper-session.ts';
import type { StaffCaller } from './staff-caller.ts';
import type { Tenant, TenantScope } from './tenancy.ts';

/** What each access kind answers for a caller it lets in. */
interface CallerByAccess {
  /** A shopper, guest or member. Before the first write it is the session that would begin. */
  session: { session: ShopperSession };
  member: { session: MemberSession };
  staff: { staff: StaffCaller };
  /** A key in place of a member of staff. */
  apiKey: { staff: StaffCaller };
  operator: { staff: StaffCaller };
  hosting: { hosting: true };
  metrics: MetricsReader;
}

/** Kinds whose routes may be called without a tenant: they are about the box. */
export const boxAccessKinds = ['operator', 'hosting'] as const;

type Reached<Name> = { tenant: Name extends (typeof boxAccessKinds)[number] ? Tenant | null : Tenant };

/** What a handler is given of its caller, and of the merchant that was called, by the access that its route declares. */
export type BoxCallers = { [Name in keyof CallerByAccess]: CallerByAccess[Name] & Reached<Name> } & {
  public: Reached<'public'>;
};

export type BoxAccess = AccessOf<BoxCallers>;
export type BoxCallerOf<Access> = CallerOf<BoxCallers, Access>;

/** Whoever was let in. */
export type BoxCaller = CallerByAccess[keyof CallerByAccess];

/** An access kind by its name: it answers what the handlers of its routes are given. */
export type BoxAccessKind<Name extends keyof CallerByAccess = keyof CallerByAccess> = {
  [Each in Name]: AccessKind<TenantScope, CallerByAccess[Each], Each> & StandIn<Each>;
}[Name];

interface StandIn<Name extends keyof CallerByAccess> {
  /**
   * Name of another kind, which answers the same, whose callers these stand in for: they are accepted wherever a right
   * is asked of that kind, though not on routes about the caller alone (`permission: false`).
   */
  readonly substitutesFor?: SameAs<Name>;
}

type SameAs<Name extends keyof CallerByAccess> = {
  [Each in keyof CallerByAccess]: CallerByAccess[Name] extends CallerByAccess[Each] ? Each : never;
}[keyof CallerByAccess];
