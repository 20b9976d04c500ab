/**
 * Encryption of a stream with a passphrase: scrypt derives the key, and AES-256-GCM encrypts the stream in chunks, each
 * with its number and whether it is the last one in its nonce (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
 * Vizár, 2015, as in age). So no chunk can be changed, moved, left out, repeated or cut off unnoticed.
 *
 * The stream begins with one line of JSON: the parameters, and a code that tells a wrong passphrase from a changed chunk.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { Failure } from '../failure.ts';
import { vendor } from '../vendor.ts';
import { ByteReader } from './byte-reader.ts';

const magic = `{"format":"${vendor}-encrypted-1"`;
const chunkBytes = 65_536;
const tagBytes = 16;
/** 128 MiB and about half a second (RFC 7914): also a weak passphrase costs an attacker that much for each guess. */
let costOfNew = 17;
const lowestCost = 10;
const longestHeader = 1024;

type Source = AsyncIterable<Buffer>;

/** Whether a stream that begins with these bytes is encrypted. */
export function isEncrypted(beginning: Buffer): boolean {
  return beginning.subarray(0, magic.length).toString('latin1') === magic;
}

/** Makes the keys of new backups cheap, for tests: their passphrases protect nothing. @returns what undoes it */
export function useCheapKeys(): () => void {
  const before = costOfNew;
  costOfNew = lowestCost;
  return () => {
    costOfNew = before;
  };
}

/** Encrypts a stream. */
export async function* encrypt(source: Source, passphrase: string): AsyncGenerator<Buffer> {
  const salt = randomBytes(16);
  const cost = costOfNew;
  const parameters = `${magic},"salt":"${salt.toString('hex')}","cost":${cost}`;
  const keys = await deriveKeys(passphrase, salt, cost);
  yield Buffer.from(`${parameters},"code":"${codeOf(keys.header, parameters).toString('hex')}"}\n`);
  let number = 0;
  let pending: Buffer[] = [];
  let bytes = 0;
  for await (const part of source) {
    pending.push(part);
    bytes += part.length;
    if (bytes <= chunkBytes) continue;
    const all = Buffer.concat(pending, bytes);
    let at = 0;
    // A full chunk waits until it is known whether it is the last one.
    for (; all.length - at > chunkBytes; at += chunkBytes) {
      yield encryptChunk(keys.stream, number++, false, all.subarray(at, at + chunkBytes));
    }
    pending = [all.subarray(at)];
    bytes = all.length - at;
  }
  yield encryptChunk(keys.stream, number, true, Buffer.concat(pending, bytes));
}

/**
 * Decrypts a stream. What it yields is authentic, but complete only once it has ended.
 * @param name of the file, for messages
 * @throws Failure usage for a wrong passphrase, integrity_failed if the stream was changed or cut off
 */
export async function* decrypt(source: Source, passphrase: string, name: string): AsyncGenerator<Buffer> {
  const reader = new ByteReader(source);
  const { parameters, salt, cost, code } = parseHeader(await reader.line(longestHeader), name);
  const keys = await deriveKeys(passphrase, salt, cost);
  if (!timingSafeEqual(codeOf(keys.header, parameters), code)) {
    throw new Failure('usage', `the passphrase is not that of ${name}`, 'Use the passphrase the backup was made with');
  }
  for (let number = 0; ; number++) {
    const chunk = await reader.upTo(chunkBytes + tagBytes);
    const isLast = await reader.isAtEnd();
    const content = chunk.length >= tagBytes ? decryptChunk(keys.stream, number, isLast, chunk) : undefined;
    if (!content) {
      throw new Failure(
        'integrity_failed',
        `${name} was changed or cut off (chunk ${number + 1})`,
        'Nothing was changed. Use another backup',
      );
    }
    yield content;
    if (isLast) return;
  }
}

function parseHeader(line: string | undefined, name: string) {
  const form = new RegExp(
    `^(\\{"format":"${vendor}-encrypted-1","salt":"([0-9a-f]{32})","cost":(1[0-9]|20)),"code":"([0-9a-f]{64})"\\}$`,
  );
  const [, parameters = '', salt = '', cost = '', code = ''] = form.exec(line ?? '') ?? [];
  if (!parameters) throw new Failure('integrity_failed', `the first line of ${name} was changed`, 'Use another backup');
  return { parameters, salt: Buffer.from(salt, 'hex'), cost: Number(cost), code: Buffer.from(code, 'hex') };
}

async function deriveKeys(passphrase: string, salt: Buffer, cost: number): Promise<{ header: Buffer; stream: Buffer }> {
  const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** cost * 8 * 128 * 2 };
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  const key = await derive(passphrase.normalize('NFC'), salt, 32, options);
  const part = (purpose: string) => Buffer.from(hkdfSync('sha256', key, salt, purpose, 32));
  return { header: part('header'), stream: part('stream') };
}

function codeOf(key: Buffer, parameters: string): Buffer {
  return createHmac('sha256', key).update(parameters).digest();
}

/** The key is of one stream only, so its chunks' numbers may be nonces. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(number, 5, 6);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

function encryptChunk(key: Buffer, number: number, isLast: boolean, content: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, isLast));
  return Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

function decryptChunk(key: Buffer, number: number, isLast: boolean, chunk: Buffer): Buffer | undefined {
  const cipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, isLast), { authTagLength: tagBytes });
  cipher.setAuthTag(chunk.subarray(-tagBytes));
  const content = cipher.update(chunk.subarray(0, -tagBytes));
  try {
    return Buffer.concat([content, cipher.final()]);
  } catch {
    return undefined;
  }
}
