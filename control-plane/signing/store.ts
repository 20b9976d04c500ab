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

/** Permitted difference between the clocks of this service and of verifiers, in seconds. */
const clockTolerance = 60;

/** Finds the current key. Returns null before the first start. */
export async function findCurrentKey(db: Knex): Promise<KeyRow | null> {
  const columns = ['kid', 'publicKey', 'privateKey'];
  return (await db('signing_keys').whereNotNull('signsSince').whereNull('retiredAt').first(columns)) ?? null;
}

/** Lists the private keys that have not been erased: those of the current key and of the next one. */
export async function listPrivateKeys(db: Knex): Promise<Pick<KeyRow, 'kid' | 'privateKey'>[]> {
  return db('signing_keys').select('kid', 'privateKey').whereNotNull('privateKey').orderBy('createdAt');
}

/** Replaces a stored private key unless it was changed or erased. @returns 1 if it was replaced, else 0 */
export async function replacePrivateKey(db: Knex, kid: string, { from, to }: { from: string; to: string }) {
  return db('signing_keys').where({ kid, privateKey: from }).update({ privateKey: to });
}

/** Lists the keys that verify tokens now or after the next rotation. */
export async function listLiveKeys(db: Knex): Promise<PublicKeyRow[]> {
  return db('signing_keys')
    .select('kid', 'publicKey')
    .whereNull('verifiesUntil')
    .orWhere('verifiesUntil', '>', db.fn.now())
    .orderBy('createdAt', 'desc');
}

/**
 * Stores the next key. `tokenLifetime` is that of the tokens it may sign, in seconds.
 * @throws a unique violation if there is a next key
 */
export async function insertNextKey(db: Knex, key: KeyRow & { tokenLifetime: number }): Promise<void> {
  await db('signing_keys').insert(key);
}

/**
 * Makes the next key the current one.
 * @throws a unique violation if there is a current key
 */
export async function promoteNextKey(db: Knex): Promise<{ kid: string; signsSince: string }> {
  const [row] = await db('signing_keys')
    .whereNull('signsSince')
    .update({ signsSince: db.fn.now() })
    .returning(['kid', 'signsSince']);
  return row;
}

/** Raises the token lifetime of the keys in use, in seconds: they verify at least as long as their tokens live. */
export async function recordTokenLifetime(db: Knex, seconds: number): Promise<void> {
  await db('signing_keys')
    .whereNull('retiredAt')
    .where('tokenLifetime', '<', seconds)
    .update({ tokenLifetime: seconds });
}

/** Retires the current key and erases its private half. It verifies until the last token it signed has expired. */
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

/** Locks the keys against concurrent changes until the transaction ends. Reads are not blocked. */
export async function lockKeys(transaction: Knex.Transaction): Promise<void> {
  await transaction.raw('lock table signing_keys in share row exclusive mode');
}
