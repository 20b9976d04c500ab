/**
 * What the suite is held against: a running service, and two parties in it that may know nothing of each other.
 */
import type { ProblemType } from '../../http/problems.ts';
import type { RouteDeclaration } from '../../http/route.ts';
import type { RequestHeaders } from './wire.ts';

/** A caller with a credential that does not give every right. */
export interface WeakCaller {
  /** The access kind it is of. */
  kind: string;
  headers: RequestHeaders;
  /** The rights it has. */
  permissions: readonly string[];
}

/** A party of the service: a merchant of a box, a customer of the control plane. */
export interface Side {
  readonly name: string;
  /** Stands in the free text that this side writes, and nowhere else. */
  readonly marker: string;
  /** What stands for this side in the database's rows: the id of a tenant, of a customer. */
  readonly identity: string;
  /** Words besides the marker that the other side may never see. */
  readonly secrets: readonly string[];
  /** Ids that the suite stands on itself: nothing is sent to them, so that its own caller is not removed. */
  readonly kept: readonly string[];
  /** Headers that bring a request to this side, without a credential. */
  reach(): RequestHeaders;
  /** Headers of a caller with every right of an access kind; undefined where there is no such caller. */
  credential(kind: string): RequestHeaders | undefined;
  /** Called when a credential is refused that was good: a walked route may have ended it. */
  renew(kind: string): Promise<void>;
  readonly weak: readonly WeakCaller[];
  /** Values that belong together and that no answer tells: an e-mail address and its password. */
  readonly known: readonly Record<string, string>[];
}

/** Of each table's rows, by its name; null where there is none. */
export type Digest = ReadonlyMap<string, string | null>;

/** The rows of a side, read from the database's own catalogue. */
export interface Rows {
  /** A digest for each table of what it holds of a side. */
  digest(side: Side): Promise<Digest>;
  /** Every id that stands in a row of a side. */
  ids(side: Side): Promise<Set<string>>;
  /** Names of columns in unique indexes: both sides write the same values there. */
  uniqueColumns(): Promise<Set<string>>;
}

export interface Target {
  readonly url: string;
  readonly declarations: readonly RouteDeclaration[];
  /** Problems that every operation may answer. */
  readonly commonProblems: readonly ProblemType[];
  /** Access kinds that serve a request without the credential too. */
  readonly optionalAccess: ReadonlySet<string>;
  /** Access kinds whose callers see all sides: whoever runs the service. */
  readonly wideAccess: ReadonlySet<string>;
  /** Whether a route may be open to everybody who works for a side, or to anybody: it is about the caller alone. */
  needsNoPermission(declaration: RouteDeclaration): boolean;
  readonly sides: readonly [Side, Side];
  /** True where a request names its side before its credential is looked at, so that a credential of another side is none. */
  readonly sidesAreReached: boolean;
  readonly rows: Rows;
}
