/**
 * Queries of the signing keys. A key is published before it signs, signs until it is retired, and verifies until the
 * last token it signed has expired.
 */
import type { Knex } from 'knex';

export interface KeyRow {
  kid: string;
  /** PEM (SPKI). */
  publicKey: string;
  /** PEM (PKCS #8), encrypted or not. */
  privateKey: string;
}

export type PublicKeyRow = Pick<KeyRow, 'kid' | 'publicKey'>;

export interface RetiredKeyRow {
  kid: string;
  verifiesUntil: string;
}

/** Clocks of this service and of those who verify may differ by this many seconds. */
const clockTolerance = 60;

/** The key that signs now, or null before the first start. */
export async function findCurrentKey(db: Knex): Promise<KeyRow | null> {
  const columns = ['kid', 'publicKey', 'privateKey'];
  return (await db('signing_keys').whereNotNull('signsSince').whereNull('retiredAt').first(columns)) ?? null;
}

/** Every key that a token may be verified with, now or soon. */
export async function listLiveKeys(db: Knex): Promise<PublicKeyRow[]> {
  return db('signing_keys')
    .select('kid', 'publicKey')
    .whereNull('verifiesUntil')
    .orWhere('verifiesUntil', '>', db.fn.now())
    .orderBy('createdAt', 'desc');
}

/**
 * Stores a key that comes next. `tokenLifetime` is that of the tokens it may sign, in seconds.
 * @throws the database's unique violation while another one is next
 */
export async function insertNextKey(db: Knex, key: KeyRow & { tokenLifetime: number }): Promise<void> {
  await db('signing_keys').insert(key);
}

/** Lets the next key sign from now on. @throws the database's unique violation while another one does */
export async function promoteNextKey(db: Knex): Promise<{ kid: string; signsSince: string }> {
  const [row] = await db('signing_keys')
    .whereNull('signsSince')
    .update({ signsSince: db.fn.now() })
    .returning(['kid', 'signsSince']);
  return row;
}

/** Makes sure that keys in use outlive tokens of this lifetime (in seconds). */
export async function recordTokenLifetime(db: Knex, seconds: number): Promise<void> {
  await db('signing_keys')
    .whereNull('retiredAt')
    .where('tokenLifetime', '<', seconds)
    .update({ tokenLifetime: seconds });
}

/** Retires the current key and erases its private half; it verifies for as long as its last token may live. */
export async function retireCurrentKey(db: Knex): Promise<RetiredKeyRow> {
  const [row] = await db('signing_keys')
    .whereNotNull('signsSince')
    .whereNull('retiredAt')
    .update({
      privateKey: null,
      retiredAt: db.fn.now(),
      verifiesUntil: db.raw('now() + make_interval(secs => token_lifetime + ?)', [clockTolerance]),
    })
    .returning(['kid', 'verifiesUntil']);
  return row;
}

/** Lets one process at a time make a key; reading goes on. Held until the transaction ends. */
export async function lockKeys(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('lock table signing_keys in share row exclusive mode');
}
