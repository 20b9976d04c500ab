/**
 * Wrong secrets and keys: an address that sends too many gets 429 for further ones, those of others at the same address
 * are served, and they are counted.
 */
import { type Caller, callerOf } from '@carton/runtime/testing';
import t from 'tap';
import { failuresPerWindow } from '../license/guesses.ts';
import { generateKey } from '../license/key.ts';
import { firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { adminSecret, registrySecret, publishSecret, hostingSecret } = controlPlane.options;
const { key } = await controlPlane.mint();
const box = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: ['shop.example.com'] };
await controlPlane.visitor().post('/boxes/deploy', box);

/** Sends a secret as a bearer token. */
const statusWith = (method: string, path: string, body?: unknown) => async (caller: Caller, secret: string) =>
  (await caller.call(method, path, { body, headers: { authorization: `Bearer ${secret}` } })).status;

t.test(
  'further wrong secrets of an address that sends too many are refused; a right one is served there, too',
  async (t) => {
    const pending = '/boxes/resolve?host=shop.example.com&pending=1';
    const ways: [what: string, right: string, statusOf: (caller: Caller, secret: string) => Promise<number>][] = [
      ['admin', adminSecret, statusWith('GET', '/license/keys')],
      ['registry', registrySecret, statusWith('GET', '/license/withdrawals')],
      ['publisher', publishSecret, statusWith('POST', '/releases', firstRelease)],
      ['hosting', hostingSecret, statusWith('GET', '/boxes/hosting?host=shop.example.com')],
      [
        'pending domains',
        hostingSecret,
        async (caller, secret) => (await caller.get(pending, { headers: { 'x-hosting-secret': secret } })).status,
      ],
    ];
    for (const [what, right, statusOf] of ways) {
      const guesser = controlPlane.visitor();
      const statuses = await Promise.all(
        Array.from({ length: 130 }, (_, number) => statusOf(guesser, `guess-${number}`)),
      );
      const counts = Object.fromEntries(
        [401, 403, 429].map((status) => [status, statuses.filter((each) => each === status).length]),
      );
      const refused = what === 'pending domains' ? 403 : 401;
      t.strictSame(counts, { 401: 0, 403: 0, [refused]: failuresPerWindow, 429: 130 - failuresPerWindow }, what);
      t.ok([200, 201].includes(await statusOf(guesser, right)), what);
      t.equal(await statusOf(guesser, 'another-guess'), 429, what);
      t.equal(await statusOf(controlPlane.visitor(), 'a-guess'), refused, `${what}, another address`);
    }
    const registry = controlPlane.visitor();
    for (let use = 0; use <= failuresPerWindow; use += 1) {
      t.equal(
        await statusWith('GET', '/license/keys')(registry, registrySecret),
        401,
        'a secret of another caller is no guess',
      );
    }
  },
);

t.test('wrong keys at an activation shut out nobody else at their address', async (t) => {
  const guesser = controlPlane.visitor();
  const administrator = await controlPlane.administrator('reader');
  const activate = async (sent: string) => (await guesser.post('/license/activate', { key: sent })).status;
  const wrong = () => generateKey('basic').key;
  for (let guess = 0; guess < failuresPerWindow; guess += 1) t.equal(await activate(wrong()), 401);
  t.equal(await activate(wrong()), 429);
  const pending = '/boxes/resolve?host=shop.example.com&pending=1';
  const answers = {
    key: await activate(key),
    license: await statusWith('GET', '/license')(guesser, key),
    deploy: (await guesser.post('/boxes/deploy', box)).status,
    owner: await statusWith('GET', '/license/keys')(guesser, adminSecret),
    administrator: await statusWith('GET', '/license/keys')(guesser, administrator.secret),
    registry: await statusWith('GET', '/license/withdrawals')(guesser, registrySecret),
    hosting: await statusWith('GET', '/boxes/hosting?host=shop.example.com')(guesser, hostingSecret),
    pending: (await guesser.get(pending, { headers: { 'x-hosting-secret': hostingSecret } })).status,
  };
  t.strictSame(new Set(Object.values(answers)), new Set([200]), JSON.stringify(answers));
  t.equal(await statusWith('GET', '/license/keys')(guesser, 'a-guess'), 401, 'each kind is counted apart');
  t.equal(await activate(wrong()), 429);
});

t.test('a secret that was chosen short is not compared for an address with too many wrong ones', async (t) => {
  const short = 'a-short-secret-1';
  const weak = await startTestControlPlane(t, { adminSecret: short });
  const guesser = weak.visitor();
  const administrator = await weak.administrator('reader');
  const list = statusWith('GET', '/license/keys');
  for (let guess = 0; guess < failuresPerWindow; guess += 1) t.equal(await list(guesser, `guess-${guess}`), 401);
  t.equal(await list(guesser, short), 429);
  t.equal(await list(guesser, administrator.secret), 200, 'generated ones are');
  t.equal(await statusWith('GET', '/license/withdrawals')(guesser, weak.options.registrySecret), 200);
  t.equal(await list(weak.visitor(), short), 200);
});

t.test('refused secrets are counted by what was asked for and reason', async (t) => {
  const { url, options, admin, administrator } = await startTestControlPlane(t, {
    metricsSecret: 'metrics-secret-of-the-tests',
  });
  const ended = await administrator('reader');
  await admin.patch(`/administrators/${ended.id}`, { disabled: true });
  const status = async (path: string, bearer: string, method = 'GET') =>
    (await callerOf(url, { authorization: `Bearer ${bearer}` }).call(method, path)).status;
  const calls: [path: string, bearer: string, method?: string][] = [
    ['/license/keys', 'a-guess'],
    ['/license/keys', ended.secret],
    ['/license/keys', options.registrySecret],
    ['/license/withdrawals', 'a-guess'],
    ['/license/withdrawals', options.adminSecret],
    ['/releases', 'a-guess', 'POST'],
    ['/boxes/hosting?host=shop.example.com', 'a-guess'],
    ['/metrics', 'a-guess'],
    ['/metrics', options.registrySecret],
  ];
  for (const call of calls) t.equal(await status(...call), 401, call.join(' '));
  t.equal(await status('/metrics', 'metrics-secret-of-the-tests'), 200);
  const authorization = `Bearer ${options.adminSecret}`;
  const text = await (await fetch(`${url}/metrics`, { headers: { authorization } })).text();
  const lines = text.split('\n').filter((line) => line.startsWith('carton_credentials_refused_total{'));
  const counts = lines.map((line) => line.replace(/^.*credential="(.*)",reason="(.*)"} /, '$1 $2 '));
  t.strictSame(
    new Set(counts),
    new Set([
      'admin unknown 1',
      'admin ended 1',
      'admin misplaced 1',
      'registry unknown 1',
      'registry misplaced 1',
      'publisher unknown 1',
      'hosting unknown 1',
      'metrics unknown 1',
      'metrics misplaced 1',
    ]),
  );
});
