/**
 * What a box keeps of a person who shops in it: each package declares its own part, how it is told (GDPR, Article 15)
 * and how it is erased (Article 17). Nobody else knows the tables of a package, so nobody else can do it.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';

/** Who is asked about, by whatever a package may know them by. */
export interface Person {
  /** Null for somebody who never had an account. */
  readonly memberId: string | null;
  /** Addresses that are proved to be theirs: what is kept under another is another person's. */
  readonly emails: readonly string[];
}

/** A person with what was found of them: keepers of copies (a log, kept answers) know their records by these. */
export interface Subject extends Person {
  /** SHA-256 of the sessions they have shopped in, in hexadecimal. */
  readonly sessions: readonly string[];
  /** Ids of what is theirs, by resource: `{ order: ['0198…'] }`. */
  readonly records: Readonly<Record<string, readonly string[]>>;
}

/** What a keeper finds of a person. */
export type Traces = Partial<Pick<Subject, 'sessions' | 'records'>>;

/** Columns of one table that tell of a person. */
export interface PersonalColumns {
  readonly table: string;
  /** As they are called in the database. */
  readonly columns: readonly string[];
  /** What they are kept for, in a sentence for the person to read. */
  readonly reason: string;
  /** How long, in words: `until the cart is 90 days old`. */
  readonly kept: string;
}

/** The personal data of one package, or of a part of it. */
export interface PersonalData {
  /** The section of the export it stands in; unique in a box: `orders`. */
  readonly name: string;
  readonly keeps: readonly PersonalColumns[];
  /**
   * What is theirs here, for this and other keepers to go by. Is called before `tell` and `erase`, in the order of the
   * packages' dependencies, with what was found by then.
   */
  find?(db: TenantDatabase, subject: Subject): Promise<Traces>;
  /** What is kept of them, as JSON for them to read; null when that is nothing. */
  exportData(db: TenantDatabase, subject: Subject): Promise<unknown>;
  /** Why it cannot be erased yet, in sentences: an order is on its way. Empty, or left out, when it can. */
  erasureObstacles?(db: TenantDatabase, subject: Subject): Promise<readonly string[]>;
  /**
   * Erases it, so that no column names them, sends to them or could be led back to them. Records that the law asks for
   * stay, without the person. Doing it again changes nothing.
   */
  erase(tx: TenantDatabase, subject: Subject): Promise<void>;
}

/** Where packages declare what they keep of a person. */
export const personalData = extensionPoint<PersonalData>('persons.data');
