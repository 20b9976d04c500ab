/**
 * DKIM keys (RFC 6376) of senders' domains. Operators install them on the box; no response contains them.
 */
import { createPrivateKey } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

export interface DkimKey {
  selector: string;
  /** PEM */
  privateKey: string;
}

/** By the domain of the sender's address, in lower case. */
export type DkimKeys = ReadonlyMap<string, DkimKey>;

const domainPattern = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const selectorPattern = /^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/;

/** @throws Error naming the file and the domain, without a key */
export function readDkimKeys(file: string | undefined): DkimKeys {
  if (file === undefined) return new Map();
  const invalid = (what: string) => new Error(`MAIL_DKIM_KEYS: ${file} ${what}`);
  let content: unknown;
  let mode: number;
  try {
    mode = statSync(file).mode;
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // A JSON parser may quote a secret in its message.
    throw invalid(error instanceof SyntaxError ? 'is not JSON' : `cannot be read: ${(error as Error).message}`);
  }
  if ((mode & 0o077) !== 0) throw invalid('can be read by others: chmod 600 it');
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw invalid('must hold an object');
  const entries = Object.entries(content).map(([domain, value]): [string, DkimKey] => {
    const { selector, privateKey } = (value ?? {}) as Partial<Record<keyof DkimKey, unknown>>;
    if (!domainPattern.test(domain)) throw invalid(`has "${domain}", which is not a domain in lower case`);
    if (typeof selector !== 'string' || !selectorPattern.test(selector))
      throw invalid(`must have a selector for ${domain}`);
    if (typeof privateKey !== 'string' || !isPrivateKey(privateKey)) {
      throw invalid(`must have an RSA privateKey in PEM for ${domain}`);
    }
    return [domain, { selector, privateKey }];
  });
  return new Map(entries);
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
