/**
 * Secrets at rest: not readable without SIGNING_KEY_SECRET, and of no use in another row or for another purpose.
 */
import { generateKeyPairSync } from 'node:crypto';
import t from 'tap';
import { openEncryption } from '../encryption.ts';
import { decryptKey, encryptKey } from '../signing/private-keys.ts';

const what = 'the secret of a test';
const open = (key: string | undefined, purpose = 'tests') => openEncryption(key, purpose, what);
const key = 'the key of the tests';
const fault = /^SIGNING_KEY_SECRET does not decrypt the secret of a test: restore the former one$/;

t.test('a secret is encrypted, each time differently, and decrypted again', async (t) => {
  const { encrypt, decrypt } = open(key);
  const stored = encrypt('tell nobody', 'row');
  t.match(stored, /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
  t.notMatch(stored, /tell nobody/);
  t.not(encrypt('tell nobody', 'row'), stored);
  t.equal(decrypt(stored, 'row'), 'tell nobody');
});

t.test('it is bound to its key, its purpose and its row', async (t) => {
  const stored = open(key).encrypt('tell nobody', 'row');
  t.throws(() => open(key).decrypt(stored, 'other row'), { message: fault });
  t.throws(() => open(key, 'other').decrypt(stored, 'row'), { message: fault });
  t.throws(() => open('another key of the tests').decrypt(stored, 'row'), { message: fault });
  t.throws(() => open(undefined).decrypt(stored, 'row'), { message: fault });
  t.throws(() => open(key).decrypt(stored.slice(0, -4), 'row'), { message: fault });
});

t.test('while the key has two values, the first encrypts and both decrypt', async (t) => {
  const next = 'the next key of the tests';
  const both = openEncryption({ values: [next, key] }, 'tests', what);
  const former = open(key).encrypt('tell nobody', 'row');
  t.equal(both.decrypt(former, 'row'), 'tell nobody');
  t.equal(open(next).decrypt(both.encrypt('tell nobody', 'row'), 'row'), 'tell nobody');
  t.equal(open(next).decrypt(both.encryptAgain(former, 'row') as string, 'row'), 'tell nobody');

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secrets = { values: [next, key] };
  t.match(decryptKey(encryptKey(privateKey, key), secrets), { isCurrent: false });
  t.match(decryptKey(encryptKey(privateKey, secrets), next), { isCurrent: true });
});

t.test('without a key it is stored as it is, and still read once there is one', async (t) => {
  const stored = open(undefined).encrypt('whsec_abc', 'row');
  t.equal(stored, 'whsec_abc');
  t.equal(open(key).decrypt(stored, 'row'), 'whsec_abc');
});
