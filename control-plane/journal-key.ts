/**
 * The key of the journal's hashes. It is random, and stored encrypted with SIGNING_KEY_SECRET: so it stays the same when
 * that is replaced, and who may change the database cannot read it, and cannot compute the hashes of changed rows.
 *
 * The first row that is written with SIGNING_KEY_SECRET creates it. Rows before, and all rows without that setting, have
 * hashes without a key; from which row on the key is used is encrypted with it.
 */
import { randomBytes } from 'node:crypto';
import { newId } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { encryptColumnAgain } from './encrypt-again.ts';
import { type Encryption, isEncrypted, openEncryption } from './encryption.ts';
import { type Secret, valuesOf } from './registry/secrets.ts';

const purpose = 'journal';

export interface JournalKey {
  key: Buffer;
  /** The position of the first row whose hash has the key. */
  from: number;
}

export interface JournalKeys {
  /** Null if no row has a hash with a key. @throws Error if SIGNING_KEY_SECRET does not decrypt it */
  find(db: Knex): Promise<JournalKey | null>;
  /**
   * The same, and creates it for the next row; null without SIGNING_KEY_SECRET. Called under the lock of the journal.
   * @throws Error as `find`
   */
  findOrCreate(transaction: Knex.Transaction, next: number): Promise<JournalKey | null>;
  /** Follows another SIGNING_KEY_SECRET. Returns how many rows it has replaced. */
  encryptAgain(db: Knex): Promise<number>;
}

export function openJournalKeys(keySecret: Secret | undefined): JournalKeys {
  const encryption = onlyEncrypted(openEncryption(keySecret, 'hash keys', 'the key of the journal'));
  async function find(db: Knex): Promise<JournalKey | null> {
    const row = await db('hash_keys').where({ purpose }).first('id', 'secret');
    if (!row) return null;
    const { key, from } = JSON.parse(encryption.decrypt(row.secret, row.id));
    return { key: Buffer.from(key, 'base64'), from };
  }
  return {
    find,
    async findOrCreate(transaction, from) {
      const found = await find(transaction);
      if (found || valuesOf(keySecret).length === 0) return found;
      const id = newId();
      const key = randomBytes(32);
      const secret = encryption.encrypt(JSON.stringify({ key: key.toString('base64'), from }), id);
      await transaction('hash_keys').insert({ id, purpose, secret });
      return { key, from };
    },
    encryptAgain: (db) => encryptColumnAgain(db, encryption, { table: 'hash_keys', column: 'secret' }),
  };
}

/** Refuses what is stored unencrypted: it is a key of someone's own. */
function onlyEncrypted(encryption: Encryption): Encryption {
  const required = (stored: string) => {
    if (!isEncrypted(stored)) throw new Error('the key of the journal in the database is not encrypted');
    return stored;
  };
  return {
    encrypt: encryption.encrypt,
    decrypt: (stored, rowId) => encryption.decrypt(required(stored), rowId),
    encryptAgain: (stored, rowId) => encryption.encryptAgain(required(stored), rowId),
  };
}
