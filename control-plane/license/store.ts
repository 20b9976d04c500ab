/**
 * Queries of licences.
 */
import { type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { License, LicenseChange } from './schemas.ts';

/** The current state of a licence: `expired`, and the end of a replaced one, are derived, not stored. */
const currentState = `case when ends_at <= now() then 'revoked' when status = 'active' and expires_at <= now() then 'expired' else status end`;

function columns(db: Knex): (string | Knex.Raw)[] {
  const plain = ['id', 'customerId', 'tier', 'expiresAt', 'last4', 'lastActivatedAt', 'createdAt'];
  const terms = ['label', 'notes', 'maxBoxes', 'maxInstallations', 'channel', 'trial', 'replaces', 'endsAt'];
  const replacedBy = db.raw(
    '(select newer.id from license_keys newer where newer.replaces = license_keys.id) as replaced_by',
  );
  return [...plain, ...terms, replacedBy, db.raw(`${currentState} as status`)];
}

export interface NewLicense extends LicenseChange {
  id: string;
  keyHash: string;
  last4: string;
  customerId: string;
  tier: License['tier'];
  expiresAt: string | null;
  trial?: boolean;
}

/** Selects licences, each with its current state. */
export function selectLicenses(db: Knex): Knex.QueryBuilder<License, License[]> {
  return db('license_keys').select(columns(db)) as never;
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

/** Finds a licence by its id, and locks it until the end of the transaction: changes of it follow each other. */
export async function lockLicense(transaction: Knex.Transaction, id: string): Promise<License | null> {
  return (
    (await transaction('license_keys')
      .where({ id })
      .forNoKeyUpdate()
      .first(columns(transaction) as string[])) ?? null
  );
}

export interface LicenseQuery {
  limit: number;
  cursor?: string;
  customerId?: string;
  tier?: License['tier'];
  status?: License['status'];
  label?: string;
  trial?: boolean;
}

/** Reads a page of licences, newest first. */
export function listLicenses(
  db: Knex,
  { customerId, tier, status, label, trial, ...page }: LicenseQuery,
): Promise<Page<License>> {
  const query = db('license_keys').select(columns(db));
  if (customerId !== undefined) query.where({ customerId });
  if (tier !== undefined) query.where({ tier });
  if (status !== undefined) query.whereRaw(`${currentState} = ?`, [status]);
  if (label !== undefined) query.whereRaw('strpos(lower(label), lower(?)) > 0', [label]);
  if (trial !== undefined) query.where({ trial });
  return paginate<License>(query as never, 'license_keys', page);
}

/** When a licence was withdrawn: that of its first withdrawal since it was active. */
const withdrawnAt = (db: Knex, status: 'active' | 'suspended' | 'revoked') =>
  status === 'active' ? null : db.raw('coalesce(withdrawn_at, now())');

/** Changes a licence. Returns null if it does not exist, is revoked, or has the tier already. */
export async function changeLicense(
  db: Knex,
  id: string,
  change: {
    status?: Exclude<License['status'], 'expired'>;
    expiresAt?: string | null;
    tier?: License['tier'];
    trial?: false;
  },
): Promise<License | null> {
  const query = db('license_keys').where({ id }).whereRaw(`${currentState} <> 'revoked'`);
  if (change.tier !== undefined) query.whereNot({ tier: change.tier });
  const [row] = await query
    .update({
      ...change,
      ...(change.status && { withdrawnAt: withdrawnAt(db, change.status) }),
      updatedAt: db.fn.now(),
    })
    .returning(columns(db) as string[]);
  return (row as License | undefined) ?? null;
}

/** Inserts a licence like another one, which it replaces. */
export async function copyLicense(
  transaction: Knex.Transaction,
  id: string,
  copy: Pick<NewLicense, 'id' | 'keyHash' | 'last4'>,
): Promise<void> {
  const same = 'customer_id, tier, expires_at, label, notes, max_boxes, max_installations, channel, trial';
  await transaction.raw(
    `insert into license_keys (id, key_hash, last4, replaces, first_id, ${same})
     select ?, ?, ?, id, coalesce(first_id, id), ${same} from license_keys where id = ?`,
    [copy.id, copy.keyHash, copy.last4, id],
  );
}

/** Makes a licence end in this many hours. */
export async function endLicense(transaction: Knex.Transaction, id: string, hours: number): Promise<void> {
  await transaction('license_keys')
    .where({ id })
    .update({ endsAt: transaction.raw("now() + ? * interval '1 hour'", [hours]), updatedAt: transaction.fn.now() });
}

/** Changes the terms of a licence, also of a revoked one. Returns null if it does not exist. */
export async function changeTerms(db: Knex, id: string, change: LicenseChange): Promise<License | null> {
  const [row] = await db('license_keys')
    .where({ id })
    .update({ ...change, updatedAt: db.fn.now() })
    .returning(columns(db) as string[]);
  return (row as License | undefined) ?? null;
}

/**
 * Locks what is counted for a licence until the end of the transaction, so that of two who take the last place only one
 * gets it.
 * @returns the limits as they are under the lock, and the id under which boxes and installations are counted
 */
export async function lockCounts(
  transaction: Knex.Transaction,
  id: string,
): Promise<Pick<License, 'maxBoxes' | 'maxInstallations'> & { firstId: string }> {
  const firstId = await firstIdOf(transaction, id);
  await transaction.raw('select id from license_keys where id = ? for no key update', [firstId]);
  const limits = await transaction('license_keys').where({ id }).first('maxBoxes', 'maxInstallations');
  return { ...limits, firstId };
}

/** The id under which the boxes and installations of a licence are counted: it does not change. */
export async function firstIdOf(db: Knex, id: string): Promise<string> {
  const { firstId } = await db('license_keys').where({ id }).first('firstId');
  return firstId ?? id;
}
