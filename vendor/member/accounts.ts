/**
 * How accounts come into being: an address is verified, which gives the registered credentials effect.
 */
import { newId, proveEmail, publishRow, type TenantDatabase } from '@carton/runtime';
import { memberEvents } from './events.ts';
import type { Profile } from './links/store.ts';
import { type MemberRow, members } from './store.ts';

/** Publishes a change of a member. */
export async function publishUpdate(tx: TenantDatabase, member: MemberRow): Promise<MemberRow> {
  await publishRow(tx, memberEvents.updated, 'member', member);
  return member;
}

interface Consent {
  acceptsMarketing?: boolean;
  marketingChangedAt?: string;
  marketingSource?: string;
}

/** The columns of a consent that is given or withdrawn; none if it stays the same. @param at ISO 8601 */
export function consentOf(
  before: boolean,
  after: boolean | undefined,
  source: string,
  at = new Date().toISOString(),
): Consent {
  if (after === undefined || after === before) return {};
  return { acceptsMarketing: after, marketingChangedAt: at, marketingSource: source };
}

/** What becomes of an address once it is verified. */
interface Verified {
  email: string;
  /** The only password that counts from now on; null if the account has none until its owner sets one. */
  passwordHash: string | null;
  /** Of a registration. */
  profile: Profile | null;
  /** When the profile was stated, ISO 8601. */
  statedAt: string;
}

/**
 * Records that an address is verified: creates the account of a registration, or verifies the address of the account
 * that staff created for it. A password of before ends: it may be another person's. The address must be locked.
 * @param member the account with the address, if there is one
 */
export async function verifyAccount(
  tx: TenantDatabase,
  member: MemberRow | null,
  { email, passwordHash, profile, statedAt }: Verified,
): Promise<MemberRow> {
  const now = new Date().toISOString();
  const consent = consentOf(
    member?.acceptsMarketing ?? false,
    profile?.acceptsMarketing || undefined,
    'registration',
    statedAt,
  );
  const { name = null, phone = null, locale = null } = profile ?? {};
  const verified = {
    emailVerifiedAt: member?.emailVerifiedAt ?? now,
    passwordHash,
    ...consent,
  };
  if (!member) {
    const created = await members.insert(tx, { id: newId(), email, name, phone, locale, ...verified });
    await publishRow(tx, memberEvents.created, 'member', created);
    await proveEmail(tx, { memberId: created.id, email });
    return created;
  }
  const missing = { name: member.name ?? name, phone: member.phone ?? phone, locale: member.locale ?? locale };
  const changed = await publishUpdate(tx, await members.change(tx, member.id, { ...missing, ...verified }));
  if (member.emailVerifiedAt === null) await proveEmail(tx, { memberId: member.id, email });
  return changed;
}
