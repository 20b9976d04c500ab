/**
 * How a guest's data becomes a member's: at log-in, the data of the guest's session; when an e-mail address is
 * verified, the data stored under that address.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';

/** A guest who signs in. */
export interface MemberLogIn {
  readonly memberId: string;
  /** SHA-256 of the guest's session, in hexadecimal; null for a guest who has written nothing. */
  readonly sessionHash: string | null;
}

/**
 * Moves a guest's data to the member, in the transaction of the log-in: if it throws, the log-in is rolled back. It
 * must lose no data of either, and be idempotent.
 * @example memberLogIns.with(async (tx, { memberId, sessionHash }) => { await mergeCarts(tx, sessionHash, memberId); })
 */
export type MemberLogInStep = (tx: TenantDatabase, logIn: MemberLogIn) => Promise<void>;
export const memberLogIns = extensionPoint<MemberLogInStep>('persons.log-in');

/**
 * SQL of the tax number of a member, for statements of packages that read what members have left for their orders: an
 * expression that is null without one. `$1` is the tenant.
 * @param id SQL of the member's id
 */
export type MemberTaxNumber = (id: string) => string;
export const memberTaxNumbers = extensionPoint<MemberTaxNumber>('persons.tax-numbers');

/** SQL of a condition: staff have exempted a member from taxes. As `MemberTaxNumber`. */
export type MemberTaxExemption = (id: string) => string;
export const memberTaxExemptions = extensionPoint<MemberTaxExemption>('persons.tax-exemptions');

/**
 * Runs every package's log-in step, in the order of the packages' dependencies and in the transaction that creates the
 * member's session. After the commit the shopper's session is rotated, so that nobody who knew the old one gets into
 * the account (OWASP, session fixation).
 */
export async function logInMember(
  tx: TenantDatabase,
  session: { readonly hash: string | null; rotate(): unknown },
  memberId: string,
): Promise<void> {
  if (!tx.inTransaction) throw new Error('logInMember is called outside a transaction');
  const logIn: MemberLogIn = { memberId, sessionHash: session.hash };
  for (const step of memberLogIns.of(tx)) await step(tx, logIn);
  // Not before the commit: after a rollback the guest still needs the session of the cart.
  tx.afterCommit(() => session.rotate());
}

/** An e-mail address that the member has verified. */
export interface ProvedEmail {
  readonly memberId: string;
  readonly email: string;
}

/** Assigns the data of guests with an address to the member who has verified it, in the same transaction. */
export type EmailProofStep = (tx: TenantDatabase, proof: ProvedEmail) => Promise<void>;
export const emailProofs = extensionPoint<EmailProofStep>('persons.email-proof');

/** Runs every package's step for a verified address, in the transaction that records the verification. */
export async function proveEmail(tx: TenantDatabase, proof: ProvedEmail): Promise<void> {
  if (!tx.inTransaction) throw new Error('proveEmail is called outside a transaction');
  for (const step of emailProofs.of(tx)) await step(tx, proof);
}
