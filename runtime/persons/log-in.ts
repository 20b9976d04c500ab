/**
 * What happens as a shopper becomes somebody: at a log-in what the guest has gathered goes over to the member, and
 * once an address is proved what was kept under it does.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { extensionPoint } from '../extension/extension.ts';

/** A guest who signs in. */
export interface MemberLogIn {
  readonly memberId: string;
  /** SHA-256 of the session the guest had, in hexadecimal; null for one who has written nothing. */
  readonly sessionHash: string | null;
}

/**
 * Takes over what a guest has gathered, in the transaction of the log-in: a failure undoes the log-in. Loses nothing
 * of either side, and finds nothing to do when it is called again.
 * @example memberLogIns.with(async (tx, { memberId, sessionHash }) => { await mergeCarts(tx, sessionHash, memberId); })
 */
export type MemberLogInStep = (tx: TenantDatabase, logIn: MemberLogIn) => Promise<void>;
export const memberLogIns = extensionPoint<MemberLogInStep>('persons.log-in');

/**
 * Signs a member in, in the transaction that opens their session: every package takes over what is the guest's, one
 * after another in the order of their dependencies; once that is committed the shopper's session is changed for
 * a new one, so that nobody who knew the old one follows into the account (OWASP, session fixation).
 */
export async function logInMember(
  tx: TenantDatabase,
  session: { readonly hash: string | null; rotate(): unknown },
  memberId: string,
): Promise<void> {
  if (!tx.inTransaction) throw new Error('a log-in takes over what is the guest’s in one transaction');
  const logIn: MemberLogIn = { memberId, sessionHash: session.hash };
  for (const step of memberLogIns.of(tx)) await step(tx, logIn);
  // Not before: a log-in that is undone leaves the guest with the session that the cart is found by.
  tx.afterCommit(() => session.rotate());
}

/** An address that its member has proved to be theirs. */
export interface ProvedEmail {
  readonly memberId: string;
  readonly email: string;
}

/** Claims what guests left under an address for the member who has proved it, in the transaction of the proof. */
export type EmailProofStep = (tx: TenantDatabase, proof: ProvedEmail) => Promise<void>;
export const emailProofs = extensionPoint<EmailProofStep>('persons.email-proof');

/** Tells every package that an address is proved, in the transaction that records it. */
export async function proveEmail(tx: TenantDatabase, proof: ProvedEmail): Promise<void> {
  if (!tx.inTransaction) throw new Error('an address is proved in one transaction');
  for (const step of emailProofs.of(tx)) await step(tx, proof);
}
