/**
 * Queries of licences.
 */
import { type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { License } from './schemas.ts';

/** The current state of a licence: `expired` is derived, not stored. */
const currentState = `case when status = 'active' and expires_at <= now() then 'expired' else status end`;

function columns(db: Knex): (string | Knex.Raw)[] {
  const plain = ['id', 'customerId', 'tier', 'expiresAt', 'last4', 'lastActivatedAt', 'createdAt'];
  return [...plain, db.raw(`${currentState} as status`)];
}

export interface NewLicense {
  id: string;
  keyHash: string;
  last4: string;
  customerId: string;
  tier: License['tier'];
  expiresAt: string | null;
}

/** Stores a licence and returns it as stored. */
export async function insertLicense(db: Knex, license: NewLicense): Promise<License> {
  const [row] = await db('license_keys')
    .insert(license)
    .returning(columns(db) as string[]);
  return row as License;
}

/** Finds a licence by the hash of its key. */
export async function findLicenseByHash(db: Knex, keyHash: string): Promise<License | null> {
  return (
    (await db('license_keys')
      .where({ keyHash })
      .first(columns(db) as string[])) ?? null
  );
}

/** Finds a licence by its id. */
export async function findLicenseById(db: Knex, id: string): Promise<License | null> {
  return (
    (await db('license_keys')
      .where({ id })
      .first(columns(db) as string[])) ?? null
  );
}

export interface LicenseQuery {
  limit: number;
  cursor?: string;
  customerId?: string;
  tier?: License['tier'];
  status?: License['status'];
}

/** Reads a page of licences, newest first. */
export function listLicenses(db: Knex, { customerId, tier, status, ...page }: LicenseQuery): Promise<Page<License>> {
  const query = db('license_keys').select(columns(db));
  if (customerId !== undefined) query.where({ customerId });
  if (tier !== undefined) query.where({ tier });
  if (status !== undefined) query.whereRaw(`${currentState} = ?`, [status]);
  return paginate<License>(query as never, 'license_keys', page);
}

/** When a licence was withdrawn: that of its first withdrawal since it was active. */
const withdrawnAt = (db: Knex, status: 'active' | 'suspended' | 'revoked') =>
  status === 'active' ? null : db.raw('coalesce(withdrawn_at, now())');

/** Changes a licence. Returns null if it does not exist or is revoked. */
export async function changeLicense(
  db: Knex,
  id: string,
  change: { status?: Exclude<License['status'], 'expired'>; expiresAt?: string | null },
): Promise<License | null> {
  const [row] = await db('license_keys')
    .where({ id })
    .whereNot({ status: 'revoked' })
    .update({
      ...change,
      ...(change.status && { withdrawnAt: withdrawnAt(db, change.status) }),
      updatedAt: db.fn.now(),
    })
    .returning(columns(db) as string[]);
  return (row as License | undefined) ?? null;
}

/** Sets the time of the last activation to now. */
export async function recordActivation(db: Knex, id: string): Promise<void> {
  await db('license_keys').where({ id }).update({ lastActivatedAt: db.fn.now() });
}
