/**
 * Guesses at licence keys: limited by address and by the prefix of a key, and never for the holder of a valid one.
 */
import { createHash } from 'node:crypto';
import t from 'tap';
import { failuresPerWindow } from '../license/guesses.ts';
import { generateKey } from '../license/key.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const activate = (key: unknown, caller = controlPlane.visitor()) => caller.post('/license/activate', { key });

t.test('wrong keys of an address at the limit of guesses are refused; a valid one is served there, too', async (t) => {
  const { key } = await controlPlane.mint();
  const guesser = controlPlane.visitor();
  const wrong = () => generateKey('basic').key;
  for (let typed = 0; typed <= failuresPerWindow; typed += 1) {
    const mistyped = await activate(`${wrong().slice(0, -1)}-`, guesser);
    t.match(mistyped, { status: 401, body: { code: 'license_key_malformed' } }, 'a mistyped key is no guess');
  }
  for (let guess = 0; guess < failuresPerWindow; guess += 1) t.equal((await activate(wrong(), guesser)).status, 401);
  const response = await activate(wrong(), guesser);
  t.match(response, { status: 429, body: { code: 'too_many_requests' } });
  t.match(response.headers.get('retry-after'), /^[1-9]\d?$/);
  const outcomes = async (sent: string) => {
    const box = { key: sent, name: 'b', backendUrl: 'https://b.example.com', domains: [] };
    const headers = { authorization: `Bearer ${sent}` };
    const deployed = await guesser.post('/boxes/deploy', box);
    return [deployed.status, (await guesser.get('/boxes/deploy/status?name=b', { headers })).status];
  };
  t.strictSame(await outcomes(wrong()), [429, 429]);
  t.equal((await activate(key, guesser)).status, 200);
  t.strictSame(await outcomes(key), [200, 200]);
  t.equal((await activate(wrong())).status, 401, 'another address');
});

/** A well-formed key that was never minted, whose random part starts with this prefix. */
function guess(prefix: string): string {
  const random = `${prefix}${generateKey('basic').key.split('_')[2]}`.slice(0, 32);
  const body = `ctn_basic_${random}`;
  const bits = createHash('sha256').update(body).digest().readUInt32BE() >>> 2;
  const checksum = [25, 20, 15, 10, 5, 0].map((shift) => 'abcdefghijklmnopqrstuvwxyz234567'[(bits >>> shift) & 31]);
  return `${body}_${checksum.join('')}`;
}

t.test('guesses at one key from many addresses are limited by the prefix of the key', async (t) => {
  for (let count = 0; count < failuresPerWindow; count += 1) {
    t.match(await activate(guess('guessing')), { status: 401, body: { code: 'license_key_unknown' } });
  }
  t.match(await activate(guess('guessing')), { status: 429, body: { code: 'too_many_requests' } });
  t.match(await activate(guess('guessint')), { status: 401 }, 'another prefix');
  const { key } = await controlPlane.mint();
  const prefix = key.split('_')[2]?.slice(0, 8) as string;
  for (let count = 0; count < failuresPerWindow; count += 1) t.equal((await activate(guess(prefix))).status, 401);
  t.equal((await activate(guess(prefix))).status, 429);
  t.equal((await activate(key)).status, 200, 'a valid key with the same prefix is served');
});

t.test('valid keys are never counted as guesses', async (t) => {
  const { key, id } = await controlPlane.mint();
  const caller = controlPlane.visitor();
  const statuses = await Promise.all(
    Array.from({ length: failuresPerWindow * 2 }, async () => (await activate(key, caller)).status),
  );
  t.strictSame(new Set(statuses), new Set([200]));
  await controlPlane.admin.post(`/license/keys/${id}/suspend`);
  for (let use = 0; use <= failuresPerWindow; use += 1) t.equal((await activate(key, caller)).status, 403);
});
