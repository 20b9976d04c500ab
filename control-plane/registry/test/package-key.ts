// Keys of the vendor for tests, with which packages are signed.

import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import type { PackageKey } from '../signatures/package-keys.ts';

const scheme = 'ecdsa-sha2-nistp256';

export function makeKey(expires: string | null = null) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ format: 'der', type: 'spki' });
  const keyid = `SHA256:${createHash('sha256').update(der).digest('base64').replace('=', '')}`;
  const published: PackageKey = { keyid, keytype: scheme, scheme, key: der.toString('base64'), expires };
  const signText = (text: string) => ({ keyid, sig: sign('sha256', Buffer.from(text), privateKey).toString('base64') });
  return { published, sign: signText };
}
