/**
 * Seals of backups: codes (HMAC-SHA-256) by the backup key of the box, from which every byte of a backup follows. The first
 * one is of the head and the settings, which are used before the rest is read; the last one is of the manifest, which has
 * the digest of every file, also of the head. What is encrypted is authenticated by its passphrase in place of a seal.
 *
 * An attacker who can write where backups are can change one and compute its digests again, but makes no seal.
 */
import { timingSafeEqual } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { BackupKey, BackupKeySource } from './key.ts';

/** What a key says of a text. */
export interface Seal {
  /** Id of the key. */
  key: string;
  code: string;
}

/** What is sealed: a head with the digests of the settings, a manifest, or a folder with the database of an upgrade. */
export type SealedKind = 'head' | 'manifest' | 'upgrade';

/** By what a backup was found to be as the box has written it; `nothing` if the operator allows that. */
export type VerifiedBy = 'backup key' | 'passphrase' | 'nothing';

/** How a backup is verified. */
export interface Verification extends BackupKeySource {
  /** Whether one is used of which nothing shows that it is as the box has written it. */
  allowUnverified?: boolean | undefined;
  /** Is called then, with the reason. */
  warn?: ((reason: string) => void) | undefined;
}

/** Seals a value, which is JSON. */
export function sealOf(key: BackupKey, kind: SealedKind, value: unknown): Seal {
  return { key: key.id, code: key.codeOf(kind, JSON.stringify(value)) };
}

/** What remains unknown of a backup without a seal, in the words of the command. */
export const unknown =
  'whether its data, prices, staff accounts and settings are those of the box, and whether its database holds a program of an attacker';

/**
 * Verifies the first seal of a backup.
 * @param name of the backup, for messages
 * @returns the key that has sealed it; undefined if nothing has and that is allowed
 * @throws Failure unverified without a seal or its key; integrity_failed if it was changed
 */
export async function verifySeal(
  name: string,
  sealed: { kind: SealedKind; seal: unknown; value: unknown },
  { key: present, ask, allowUnverified = false, warn }: Verification,
): Promise<BackupKey | undefined> {
  const { seal } = sealed;
  const pass = (reason: string, advice: string) => {
    if (!allowUnverified) {
      const allow = `With --allow-unverified it is used all the same: ${unknown}, cannot be known`;
      throw new Failure('unverified', `${name} ${reason}`, `Nothing was changed. ${advice}. ${allow}`);
    }
    warn?.(`${name} ${reason}: ${unknown}, cannot be known`);
    return undefined;
  };
  if (!isSeal(seal)) {
    const reason = 'has no seal of a backup key: an earlier version of the command has written it, or it was changed';
    return pass(reason, 'Use a later backup');
  }
  const key = present?.id === seal.key ? present : ((await ask?.(seal.key)) ?? present);
  const advice = 'Pass the key of the box that has written it, with --backup-key-file';
  if (!key) return pass(`is sealed with the backup key ${seal.key}, which is not here`, advice);
  if (key.id !== seal.key) return pass(`is sealed with the backup key ${seal.key}, and not with ${key.id}`, advice);
  requireSeal(name, sealed, key);
  return key;
}

/** Verifies a further seal of a backup, by the key of the first one. @throws Failure integrity_failed */
export function requireSeal(
  name: string,
  { kind, seal, value }: { kind: SealedKind; seal: unknown; value: unknown },
  key: BackupKey,
): void {
  const isRight = isSeal(seal) && seal.key === key.id && isSameCode(seal.code, sealOf(key, kind, value).code);
  if (isRight) return;
  throw new Failure(
    'integrity_failed',
    `${name} was changed after the box has sealed it`,
    'Nothing was changed. Use another backup, and find out who can write there',
  );
}

/** Compares two codes in constant time. */
function isSameCode(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

function isSeal(value: unknown): value is Seal {
  const { key, code } = (value ?? {}) as Partial<Seal>;
  return typeof key === 'string' && /^[0-9a-f]{8}$/.test(key) && typeof code === 'string';
}
