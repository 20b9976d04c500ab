/**
 * The keys that sign activation tokens: RSA, one at a time, in the database so that several control planes share them.
 * The key that comes next is published already: whoever keeps the public keys for a while meets no unknown one.
 *
 * The private half is kept as PKCS #8. With SIGNING_KEY_SECRET it is encrypted by that secret, so that a copy of the
 * database signs nothing; without, whoever may read the database may sign. It is erased when the key retires.
 */
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { Knex } from 'knex';
import {
  findCurrentKey,
  insertNextKey,
  type KeyRow,
  listLiveKeys,
  lockKeys,
  promoteNextKey,
  type RetiredKeyRow,
  recordTokenLifetime,
  retireCurrentKey,
} from './store.ts';

/** The signature algorithm of activation tokens (contract, JWKS response). */
export const algorithm = 'RS256';
const modulusLength = 2048;

/** The key that signs now. */
export interface Signer {
  kid: string;
  privateKey: KeyObject;
  /** PEM (SPKI). */
  publicKey: string;
}

/** A public key as RFC 7517 writes it. */
export interface PublicJwk {
  kty: string;
  kid: string;
  alg: string;
  use: string;
  n: string;
  e: string;
}

export interface Rotation {
  /** The key that signs from now on. */
  kid: string;
  signsSince: string;
  /** The key that is published now and signs after the next rotation. */
  nextKid: string;
  retired: RetiredKeyRow;
}

export interface SigningKeys {
  current(): Promise<Signer>;
  /** Every public key that a token may be verified with, now or after the next rotation. */
  live(): Promise<PublicJwk[]>;
  /** Lets the next key sign from now on; the old one verifies until its last token has expired. */
  rotate(): Promise<Rotation>;
}

export interface SigningOptions {
  /** Lifetime of the tokens that will be signed, in seconds. */
  tokenLifetime: number;
  /** Encrypts private keys that are made from now on, and opens those that it encrypted. */
  secret?: string;
}

/**
 * Opens the keys, making the first ones if there are none: of several processes that start at once, one makes them.
 * @throws Error when the current key is encrypted and the secret is missing or another one
 */
export async function openSigningKeys(db: Knex, { tokenLifetime, secret }: SigningOptions): Promise<SigningKeys> {
  const opened = new Map<string, Signer>();

  function open({ kid, privateKey, publicKey }: KeyRow): Signer {
    let signer = opened.get(kid);
    if (!signer) {
      opened.clear();
      signer = { kid, privateKey: decrypt(privateKey, secret), publicKey };
      opened.set(kid, signer);
    }
    return signer;
  }

  async function current(): Promise<Signer> {
    const row = await findCurrentKey(db);
    if (!row) throw new Error('there is no signing key');
    return open(row);
  }

  /** The key that was next signs from now on, and a new one comes next. */
  async function advance(transaction: Knex): Promise<Omit<Rotation, 'retired'>> {
    const promoted = await promoteNextKey(transaction);
    const next = await makeKey(secret);
    await insertNextKey(transaction, { ...next, tokenLifetime });
    return { ...promoted, nextKid: next.kid };
  }

  await db.transaction(async (transaction) => {
    await lockKeys(transaction);
    if (await findCurrentKey(transaction)) return recordTokenLifetime(transaction, tokenLifetime);
    await insertNextKey(transaction, { ...(await makeKey(secret)), tokenLifetime });
    await advance(transaction);
  });
  await current();

  return {
    current,
    async live() {
      return Promise.all((await listLiveKeys(db)).map(({ kid, publicKey }) => publicJwk(kid, publicKey)));
    },
    rotate: () =>
      db.transaction(async (transaction) => {
        await lockKeys(transaction);
        const retired = await retireCurrentKey(transaction);
        return { ...(await advance(transaction)), retired };
      }),
  };
}

/** A new key pair; its id is its thumbprint (RFC 7638). */
async function makeKey(secret: string | undefined): Promise<KeyRow> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength });
  const encryption = secret === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: secret };
  return {
    kid: await calculateJwkThumbprint(await exportJWK(publicKey)),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }).toString(),
  };
}

function decrypt(pem: string, secret: string | undefined): KeyObject {
  const isEncrypted = pem.includes('ENCRYPTED PRIVATE KEY');
  try {
    return createPrivateKey(isEncrypted ? { key: pem, passphrase: secret ?? '' } : pem);
  } catch (cause) {
    throw new Error('the signing key is encrypted: set SIGNING_KEY_SECRET to the secret it was made with', { cause });
  }
}

async function publicJwk(kid: string, publicKey: string): Promise<PublicJwk> {
  const { kty, n, e } = await exportJWK(createPublicKey(publicKey));
  return { kty: kty as string, kid, alg: algorithm, use: 'sig', n: n as string, e: e as string };
}
