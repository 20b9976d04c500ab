/**
 * The keys that sign activation tokens: RSA, one at a time, in the database so that several processes share them. The
 * next key is published before it signs, so that clients that cache public keys know it. `private-keys.ts` says how
 * private keys are stored. A private key is erased when it is retired.
 */
import { createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { Knex } from 'knex';
import type { Secret } from '../registry/secrets.ts';
import { decryptKey, encryptKey } from './private-keys.ts';
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

/** The current key. */
export interface Signer {
  kid: string;
  privateKey: KeyObject;
  /** PEM (SPKI). */
  publicKey: string;
}

/** A public key as a JSON Web Key (RFC 7517). */
export interface PublicJwk {
  kty: string;
  kid: string;
  alg: string;
  use: string;
  n: string;
  e: string;
}

export interface Rotation {
  /** The new current key. */
  kid: string;
  signsSince: string;
  /** The next key: it is published now and signs after the next rotation. */
  nextKid: string;
  retired: RetiredKeyRow;
}

export interface SigningKeys {
  current(): Promise<Signer>;
  /** The public keys that verify tokens now or after the next rotation. */
  live(): Promise<PublicJwk[]>;
  /** Makes the next key the current one. The old key verifies until the last token it signed has expired. */
  rotate(): Promise<Rotation>;
}

export interface SigningOptions {
  /** Lifetime of new tokens, in seconds. */
  tokenLifetime: number;
  /** Its first value encrypts new private keys, and each decrypts those encrypted with it. */
  secret?: Secret | undefined;
}

/**
 * Opens the keys and generates the first ones if there are none: of several processes that start concurrently, only
 * one does.
 * @throws Error if the current key is encrypted and the secret is missing or wrong
 */
export async function openSigningKeys(db: Knex, { tokenLifetime, secret }: SigningOptions): Promise<SigningKeys> {
  const signers = new Map<string, Signer>();

  function open({ kid, privateKey, publicKey }: KeyRow): Signer {
    let signer = signers.get(kid);
    if (!signer) {
      signers.clear();
      signer = { kid, privateKey: decryptKey(privateKey, secret).key, publicKey };
      signers.set(kid, signer);
    }
    return signer;
  }

  async function current(): Promise<Signer> {
    const row = await findCurrentKey(db);
    if (!row) throw new Error('there is no signing key');
    return open(row);
  }

  /** Promotes the next key to the current one, and generates another next key. */
  async function advance(transaction: Knex.Transaction): Promise<Omit<Rotation, 'retired'>> {
    const promoted = await promoteNextKey(transaction);
    const next = await generateKey(secret);
    await insertNextKey(transaction, { ...next, tokenLifetime });
    return { ...promoted, nextKid: next.kid };
  }

  await db.transaction(async (transaction) => {
    await lockKeys(transaction);
    if (await findCurrentKey(transaction)) return recordTokenLifetime(transaction, tokenLifetime);
    await insertNextKey(transaction, { ...(await generateKey(secret)), tokenLifetime });
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

/** Generates a key pair; its id is its thumbprint (RFC 7638). */
async function generateKey(secret: Secret | undefined): Promise<KeyRow> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength });
  return {
    kid: await calculateJwkThumbprint(await exportJWK(publicKey)),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: encryptKey(privateKey, secret),
  };
}

async function publicJwk(kid: string, publicKey: string): Promise<PublicJwk> {
  const { kty, n, e } = await exportJWK(createPublicKey(publicKey));
  return { kty: kty as string, kid, alg: algorithm, use: 'sig', n: n as string, e: e as string };
}
