/**
 * Password hashes: scrypt (RFC 7914). The parameters are stored with the hash, so that they can be raised later.
 */
import { randomBytes, scrypt as scryptCallback, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const scrypt = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(
  scryptCallback,
);

interface PasswordCost {
  cost: number;
  blockSize: number;
  parallelism: number;
}

/** OWASP's recommendation for scrypt with 32 MiB per hash. */
let current: Readonly<PasswordCost> = { cost: 2 ** 15, blockSize: 8, parallelism: 3 };
const hashBytes = 32;

/**
 * Replaces the parameters of hashes made in this process from now on. Only `testing/` calls it, and index.ts does not
 * export it, so a published package does not contain it.
 */
export function setPasswordCost(cost: PasswordCost): void {
  current = cost;
}

async function derive(password: string, salt: Buffer, { cost, blockSize, parallelism }: PasswordCost): Promise<Buffer> {
  const maxmem = 256 * cost * blockSize;
  return scrypt(password.normalize('NFKC'), salt, hashBytes, { N: cost, r: blockSize, p: parallelism, maxmem });
}

/** @returns `scrypt$<cost>$<block size>$<parallelism>$<salt>$<hash>` */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, current);
  const { cost, blockSize, parallelism } = current;
  return ['scrypt', cost, blockSize, parallelism, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Takes the same time for an account that does not exist (`stored` is null) as for a wrong password. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, cost, blockSize, parallelism, salt, hash] = (stored ?? '').split('$');
  if (!salt || !hash) {
    await derive(password, Buffer.alloc(16), current);
    return false;
  }
  const parameters = { cost: Number(cost), blockSize: Number(blockSize), parallelism: Number(parallelism) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), parameters);
  return timingSafeEqual(derived, Buffer.from(hash, 'base64url'));
}
