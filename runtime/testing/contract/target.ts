/**
 * The target of the suite: a running service with two parties ("sides") whose data must be isolated from each other.
 */
import type { ProblemType } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import type { RequestHeaders, Sender } from './wire.ts';

/** A caller whose credential does not have all permissions. */
export interface LimitedCaller {
  /** The access kind of its credential. */
  kind: string;
  headers: RequestHeaders;
  permissions: readonly string[];
}

/** A party of the service: a tenant of a box, a customer of the control plane. */
export interface Side {
  readonly name: string;
  /** Part of all free text that this side writes, and of no other. */
  readonly marker: string;
  /** The value that identifies this side in rows of the database: the id of a tenant or customer. */
  readonly identity: string;
  /** Further words that the other side must never see. */
  readonly secrets: readonly string[];
  /** Ids that the suite itself needs, such as those of its callers; requests never use them. */
  readonly reserved: readonly string[];
  /** Headers that route a request to this side, without a credential. */
  routingHeaders(): RequestHeaders;
  /** Headers of a caller with all permissions of an access kind; undefined if there is none. */
  credential(kind: string): RequestHeaders | undefined;
  /** Called when a credential is no longer valid: a route that was called may have revoked it. */
  renew(kind: string): Promise<void>;
  readonly limited: readonly LimitedCaller[];
  /** Values that belong together and are in no response: an e-mail address and its password. */
  readonly known: readonly Record<string, string>[];
}

/** A digest of the rows of each table, by the table's name; null without rows. */
export type Digest = ReadonlyMap<string, string | null>;

/** The rows of a side in all tables. */
export interface Rows {
  digest(side: Side): Promise<Digest>;
  /** All ids in the rows of a side. */
  ids(side: Side): Promise<Set<string>>;
  /** Names of the columns of unique indexes, in which both sides write the same values. */
  uniqueColumns(): Promise<Set<string>>;
}

/** A part of the routes of a service. */
export interface Only {
  /** One side calls these with valid requests; every response must be a declared one. */
  called: ReadonlySet<RouteDeclaration>;
  /** These, of those that are called, are checked in all respects of one side. */
  checked: ReadonlySet<RouteDeclaration>;
}

export interface Target {
  readonly url: string;
  /** Sends the requests. Default: connections to the URL. */
  readonly sender?: Sender;
  readonly declarations: readonly RouteDeclaration[];
  /** Problems that every operation may respond with. */
  readonly commonProblems: readonly ProblemType[];
  /** Access kinds that also serve requests without a credential. */
  readonly optionalAccess: ReadonlySet<string>;
  /** Access kinds whose callers see all sides, such as the operator. */
  readonly wideAccess: ReadonlySet<string>;
  /** True for an admin route that needs no permission, since it is about the caller's own account. */
  needsNoPermission(declaration: RouteDeclaration): boolean;
  readonly sides: readonly [Side, Side];
  /** True if requests name their side independently of the credential, so that another side's credential is invalid. */
  readonly requestsNameSide: boolean;
  /** Whether what a route stores belongs to all sides, such as a release that the vendor publishes. Default: none does. */
  isShared?(declaration: RouteDeclaration): boolean;
  readonly rows: Rows;
  /** Resolves when the service has completed the background work of a side that is due. Default: there is none. */
  finished?(side: Side): Promise<void>;
}
