/**
 * The personal data that a box stores. Each package declares the data in its own tables, how it is exported (GDPR,
 * Article 15) and how it is erased (Article 17), since no other package knows these tables.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';

/** A person, by the identifiers that packages may know. */
export interface Person {
  /** Null for a person without an account. */
  readonly memberId: string | null;
  /** Verified addresses only: data stored under another address may be another person's. */
  readonly emails: readonly string[];
}

/**
 * A person with the identifiers found so far: packages that store copies (a log, stored responses) look them up by
 * these.
 */
export interface Subject extends Person {
  /** SHA-256 of the person's sessions, in hexadecimal. */
  readonly sessions: readonly string[];
  /** Ids of the person's records, by resource: `{ order: ['0198…'] }`. */
  readonly records: Readonly<Record<string, readonly string[]>>;
}

/** The identifiers that one package finds. */
export type Traces = Partial<Pick<Subject, 'sessions' | 'records'>>;

/** Columns of one table with personal data. */
export interface PersonalColumns {
  readonly table: string;
  /** Names in the database. */
  readonly columns: readonly string[];
  /** The purpose of the data, in a sentence for the person to read. */
  readonly reason: string;
  /** How long the data is stored, in words: `until the cart is 90 days old`. */
  readonly kept: string;
}

/** The personal data of one package, or of a part of it. */
export interface PersonalData {
  /** The name of its section in the export; unique in a box: `orders`. */
  readonly name: string;
  readonly keeps: readonly PersonalColumns[];
  /**
   * Finds identifiers of the person for this and later packages. Called before `exportData` and `erase`, in the order
   * of the packages' dependencies, with the identifiers found so far.
   */
  find?(db: TenantDatabase, subject: Subject): Promise<Traces>;
  /** The person's data as JSON; null if there is none. */
  exportData(db: TenantDatabase, subject: Subject): Promise<unknown>;
  /** Reasons why the data cannot be erased yet, in sentences, such as an order in progress. */
  erasureObstacles?(db: TenantDatabase, subject: Subject): Promise<readonly string[]>;
  /**
   * Erases the data, so that no column identifies the person or can be used to contact them. Records required by law
   * stay, anonymised. Must be idempotent.
   */
  erase(tx: TenantDatabase, subject: Subject): Promise<void>;
}

/** The extension point at which packages declare their personal data. */
export const personalData = extensionPoint<PersonalData>('persons.data');
