/**
 * The backup key of a box: with it the box seals its backups (seal.ts), and the operator shows that one is as it was
 * written. It is in the folder of the box and in no backup, so that who can read or change backups cannot seal one. The
 * operator keeps a copy, without which a lost machine is restored from an encrypted backup, or unverified.
 *
 * Its form is `ctn_backup_<random>_<checksum>`: 256 random bits, and a checksum that tells a mistyped key from another one.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeAtomically } from '../box/files.ts';
import type { BoxFolder } from '../box/folder.ts';
import { Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { backupKeyPrefix } from '../vendor.ts';

/** A key in use. */
export interface BackupKey {
  /** As it is written in a file. */
  readonly text: string;
  /** Tells keys apart, and is no secret. */
  readonly id: string;
  /** Returns the code of a text in hexadecimal digits. @param purpose what the text is, so that no code fits another kind */
  codeOf(purpose: string, text: string): string;
}

/** Where keys come from when a backup is read. */
export interface BackupKeySource {
  /** The key of the command line, or of the folder. */
  key?: BackupKey | undefined;
  /** Asks for one at a terminal. @param id of the key that the backup names */
  ask?: ((id: string) => Promise<BackupKey>) | undefined;
}

const pattern = new RegExp(`^(${backupKeyPrefix}_[a-z2-7]{52})_([a-z2-7]{6})$`);

/** Reads a key. @param origin names its file or variable in the message @throws Failure usage for a mistyped one */
export function parseBackupKey(text: string, origin: string): BackupKey {
  const trimmed = text.trim();
  const [, body = '', checksum = ''] = pattern.exec(trimmed) ?? [];
  if (!body || checksumOf(body) !== checksum) {
    const advice = `It begins with ${backupKeyPrefix}_: copy it whole, as install has shown it`;
    throw new Failure('usage', `${origin} is no backup key, or a mistyped one`, advice);
  }
  const codeWith = (purpose: string, content: string) =>
    createHmac('sha256', body).update(`${purpose}\0${content}`).digest('hex');
  return { text: trimmed, id: codeWith('id', '').slice(0, 8), codeOf: codeWith };
}

/** Returns the key of a box; undefined if it has none. @throws Failure usage if its file was changed */
export async function readBackupKey(folder: BoxFolder): Promise<BackupKey | undefined> {
  const text = await readFile(folder.backupKey, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : parseBackupKey(text, folder.backupKey);
}

/** Writes a key into a folder that has none. */
export async function keepBackupKey(folder: BoxFolder, { text }: BackupKey): Promise<void> {
  if (!(await readBackupKey(folder))) await writeAtomically(folder.backupKey, `${text}\n`, 0o600);
}

/**
 * Returns the key of a box, and makes one for a box without.
 * @param shown whether a new one is shown, at an install or upgrade: a scheduled backup would write it into a log
 */
export async function provideBackupKey(folder: BoxFolder, output: Output, { shown }: { shown: boolean }) {
  const present = await readBackupKey(folder);
  if (present) return present;
  const key = generateBackupKey();
  await keepBackupKey(folder, key);
  const why = 'a backup is restored on another machine with it';
  if (shown) {
    const message = `backup key, shown this once: ${key.text} (keep it where neither the box nor its backups are: ${why})`;
    output.info('backup_key', message, { key: key.text, path: folder.backupKey });
  } else {
    const message = `the box has a backup key now, in ${folder.backupKey}: keep a copy of it elsewhere, ${why}`;
    output.warn(message, { path: folder.backupKey });
  }
  return key;
}

/** Generates a key. */
export function generateBackupKey(): BackupKey {
  const body = `${backupKeyPrefix}_${base32(randomBytes(32))}`;
  return parseBackupKey(`${body}_${checksumOf(body)}`, 'a new key');
}

function checksumOf(body: string): string {
  return base32(createHash('sha256').update(body).digest()).slice(0, 6);
}

/** Base 32 (RFC 4648, section 6) in lower case, without padding characters. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}
