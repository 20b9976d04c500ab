/**
 * Every operation with the right credential, an invalid one, those of other callers and none; and requests that are
 * rejected before they reach a handler.
 */
import { packageName } from '@carton/runtime/service';
import { type Caller, callerOf } from '@carton/runtime/testing';
import t from 'tap';
import { failuresPerWindow } from '../license/guesses.ts';
import { generateKey } from '../license/key.ts';
import { firstRelease } from './release.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { key, id } = await controlPlane.mint('customer-1');
const installationId = '0198f5a2-7c1e-4b5a-9f51-3f6a52a1c001';
await controlPlane.visitor().post('/license/activate', { key }, { headers: { 'installation-id': installationId } });
const trial = await controlPlane.admin.post('/license/keys', {
  customerId: 'customer-1',
  tier: 'basic',
  trial: true,
  expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
});
const replaced = await controlPlane.mint('customer-1');
const other = await controlPlane.mint('customer-2');
const box = { key, name: 'shop', backendUrl: 'https://box.example.com', domains: ['shop.example.com'] };
const report = { customerId: 'customer-1', tier: 'basic', packageName: packageName('cart'), outcome: 'allowed' };

type Credential = 'admin' | 'registry' | 'publisher' | 'hosting' | 'license' | 'public';
interface Row {
  method: string;
  path: string;
  credential: Credential;
  body?: unknown;
  status: number;
}

const administrator = await controlPlane.administrator('reader');
const leaving = await controlPlane.administrator('reader');

// Nothing is sent: the name does not exist.
const webhookUrl = 'https://hooks.example.invalid/';
const { body: webhook } = await controlPlane.admin.post('/webhooks', { url: webhookUrl });
const { body: leavingWebhook } = await controlPlane.admin.post('/webhooks', { url: webhookUrl });
const delivery = (await controlPlane.admin.post(`/webhooks/${webhook.id}/test`)).body.id;

await controlPlane.visitor().post('/boxes/deploy', { ...box, domains: ['free.example.org'], name: 'other' });
const rows: Row[] = [
  { method: 'POST', path: '/license/keys', credential: 'admin', body: { customerId: 'c', tier: 'basic' }, status: 201 },
  { method: 'GET', path: '/license/keys', credential: 'admin', status: 200 },
  { method: 'GET', path: `/license/keys/${id}`, credential: 'admin', status: 200 },
  { method: 'PATCH', path: `/license/keys/${id}`, credential: 'admin', body: { label: 'l' }, status: 200 },
  {
    method: 'POST',
    path: `/license/keys/${trial.body.id}/convert`,
    credential: 'admin',
    body: { expiresAt: null },
    status: 200,
  },
  {
    method: 'POST',
    path: `/license/keys/${replaced.id}/replace`,
    credential: 'admin',
    body: { overlapHours: 1 },
    status: 201,
  },
  { method: 'GET', path: `/license/keys/${id}/packages`, credential: 'admin', status: 200 },
  { method: 'GET', path: `/license/keys/${id}/tier-change?tier=growth`, credential: 'admin', status: 200 },
  {
    method: 'POST',
    path: `/license/keys/${other.id}/tier-change`,
    credential: 'admin',
    body: { tier: 'growth' },
    status: 200,
  },
  { method: 'GET', path: `/license/keys/${id}/installations`, credential: 'admin', status: 200 },
  { method: 'GET', path: `/license/keys/${id}/activations`, credential: 'admin', status: 200 },
  {
    method: 'DELETE',
    path: `/license/keys/${id}/installations/${installationId}`,
    credential: 'admin',
    status: 204,
  },
  { method: 'POST', path: `/license/keys/${other.id}/suspend`, credential: 'admin', status: 200 },
  { method: 'POST', path: `/license/keys/${other.id}/reinstate`, credential: 'admin', status: 200 },
  { method: 'POST', path: `/license/keys/${id}/renew`, credential: 'admin', body: { expiresAt: null }, status: 200 },
  { method: 'POST', path: `/license/keys/${other.id}/revoke`, credential: 'admin', status: 200 },
  { method: 'POST', path: '/signing-keys/rotate', credential: 'admin', status: 201 },
  { method: 'GET', path: '/telemetry/downloads', credential: 'admin', status: 200 },
  { method: 'GET', path: '/telemetry/downloads/csv', credential: 'admin', status: 200 },
  { method: 'GET', path: '/telemetry/rollups', credential: 'admin', status: 200 },
  { method: 'GET', path: '/telemetry/rollups/csv', credential: 'admin', status: 200 },
  { method: 'GET', path: '/customers/versions', credential: 'admin', status: 200 },
  { method: 'GET', path: '/customers/refusals', credential: 'admin', status: 200 },
  { method: 'GET', path: '/customers/export?customerId=customer-1', credential: 'admin', status: 200 },
  {
    method: 'POST',
    path: '/customers/erase',
    credential: 'admin',
    body: { customerId: 'c', revoke: true },
    status: 200,
  },
  { method: 'GET', path: '/events', credential: 'admin', status: 200 },
  { method: 'POST', path: '/webhooks', credential: 'admin', body: { url: webhookUrl }, status: 201 },
  { method: 'GET', path: '/webhooks', credential: 'admin', status: 200 },
  { method: 'GET', path: `/webhooks/${webhook.id}`, credential: 'admin', status: 200 },
  { method: 'PATCH', path: `/webhooks/${webhook.id}`, credential: 'admin', body: { label: 'l' }, status: 200 },
  { method: 'POST', path: `/webhooks/${webhook.id}/secret`, credential: 'admin', body: {}, status: 201 },
  { method: 'POST', path: `/webhooks/${webhook.id}/test`, credential: 'admin', status: 202 },
  {
    method: 'POST',
    path: `/webhooks/${webhook.id}/replay`,
    credential: 'admin',
    body: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
    status: 202,
  },
  { method: 'GET', path: `/webhooks/${webhook.id}/deliveries`, credential: 'admin', status: 200 },
  { method: 'GET', path: `/webhooks/${webhook.id}/deliveries/${delivery}`, credential: 'admin', status: 200 },
  {
    method: 'POST',
    path: `/webhooks/${webhook.id}/deliveries/${delivery}/redeliver`,
    credential: 'admin',
    status: 202,
  },
  { method: 'DELETE', path: `/webhooks/${leavingWebhook.id}`, credential: 'admin', status: 204 },
  { method: 'GET', path: '/metrics', credential: 'admin', status: 200 },
  { method: 'DELETE', path: '/boxes/domains/free.example.org', credential: 'admin', status: 204 },
  {
    method: 'POST',
    path: '/administrators',
    credential: 'admin',
    body: { name: 'ada', role: 'reader' },
    status: 201,
  },
  { method: 'GET', path: '/administrators', credential: 'admin', status: 200 },
  { method: 'GET', path: `/administrators/${administrator.id}`, credential: 'admin', status: 200 },
  {
    method: 'PATCH',
    path: `/administrators/${administrator.id}`,
    credential: 'admin',
    body: { role: 'manager' },
    status: 200,
  },
  { method: 'POST', path: `/administrators/${administrator.id}/secret`, credential: 'admin', body: {}, status: 201 },
  { method: 'DELETE', path: `/administrators/${leaving.id}`, credential: 'admin', status: 204 },
  { method: 'GET', path: '/journal', credential: 'admin', status: 200 },
  { method: 'GET', path: '/journal/verification', credential: 'admin', status: 200 },
  { method: 'GET', path: '/license/withdrawals', credential: 'registry', status: 200 },
  { method: 'POST', path: '/telemetry/download', credential: 'registry', body: report, status: 202 },
  {
    method: 'POST',
    path: '/telemetry/downloads/batch',
    credential: 'registry',
    body: { reports: [{ idempotencyKey: 'k', report }] },
    status: 202,
  },
  { method: 'POST', path: '/boxes/deploy', credential: 'public', body: box, status: 200 },
  { method: 'GET', path: '/boxes/deploy/status?name=shop', credential: 'license', status: 200 },
  { method: 'POST', path: '/boxes/domains/verify', credential: 'license', body: { name: 'shop' }, status: 200 },
  { method: 'GET', path: '/license', credential: 'license', status: 200 },
  { method: 'POST', path: '/license/activate', credential: 'public', body: { key }, status: 200 },
  { method: 'GET', path: '/license/jwks', credential: 'public', status: 200 },
  { method: 'GET', path: '/.well-known/jwks.json', credential: 'public', status: 200 },
  { method: 'GET', path: '/boxes/resolve?host=shop.example.com', credential: 'public', status: 200 },
  { method: 'GET', path: '/boxes/hosting?host=shop.example.com', credential: 'hosting', status: 200 },
  { method: 'POST', path: '/boxes/hosting-secret', credential: 'license', body: { name: 'shop' }, status: 201 },
  { method: 'POST', path: '/releases', credential: 'publisher', body: firstRelease, status: 201 },
  { method: 'GET', path: '/releases/stable', credential: 'public', status: 200 },
  { method: 'GET', path: '/releases/stable/1.0.0', credential: 'public', status: 200 },
  { method: 'GET', path: '/catalogue', credential: 'public', status: 200 },
  { method: 'GET', path: '/health', credential: 'public', status: 200 },
  { method: 'GET', path: '/docs', credential: 'public', status: 200 },
  { method: 'GET', path: '/docs/json', credential: 'public', status: 200 },
];
const { adminSecret, registrySecret, publishSecret = '', hostingSecret = '' } = controlPlane.options;
const secrets = {
  admin: adminSecret,
  registry: registrySecret,
  publisher: publishSecret,
  hosting: hostingSecret,
  license: key,
};
const send = ({ method, path, body }: Row, authorization?: string) =>
  controlPlane.visitor().call(method, path, { body, headers: authorization === undefined ? {} : { authorization } });

/** Sends a secret as a bearer token. */
const statusWith = (method: string, path: string, body?: unknown) => async (caller: Caller, secret: string) =>
  (await caller.call(method, path, { body, headers: { authorization: `Bearer ${secret}` } })).status;

t.test('the table lists every operation of the document', async (t) => {
  const { paths } = (await controlPlane.server.document()) as { paths: Record<string, Record<string, unknown>> };
  const documented = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const shape = ({ method, path }: Row) =>
    `${method} ${path
      .split('?')[0]
      ?.replace(installationId, '{installationId}')
      .replace(`deliveries/${delivery}`, 'deliveries/{deliveryId}')
      .replace(/[0-9a-f-]{36}/, '{id}')
      .replace('stable', '{channel}')
      .replace('1.0.0', '{version}')
      .replace('free.example.org', '{domain}')}`;
  t.strictSame(rows.map(shape).sort(), documented.sort());
});

t.test("an invalid credential, another caller's or none is 401", async (t) => {
  for (const row of rows.filter(({ credential }) => credential !== 'public')) {
    const label = `${row.method} ${row.path}`;
    const right = secrets[row.credential as keyof typeof secrets];
    const others = Object.values(secrets).filter((secret) => secret !== right);
    const wrong = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'Bearer wrong',
      `Basic ${right}`,
      right,
      `Bearer ${right}x`,
      `Bearer ${right.slice(0, -1)}`,
      ...others.map((secret) => `Bearer ${secret}`),
    ];
    if (row.credential === 'license') wrong.push(`Bearer ${generateKey('basic').key}`);
    for (const authorization of wrong) {
      const response = await send(row, authorization);
      t.equal(response.status, 401, `${label} with ${authorization}`);
      t.equal(response.headers.get('www-authenticate'), 'Bearer');
      t.match(response.headers.get('content-type'), 'application/problem+json');
      t.match(response.body, { code: /^(unauthenticated|license_key_(unknown|malformed))$/, status: 401 });
    }
  }
});

t.test('the right credential is accepted, and public operations ignore credentials', async (t) => {
  for (const row of rows) {
    const label = `${row.method} ${row.path}`;
    if (row.credential !== 'public')
      t.equal((await send(row, `bearer ${secrets[row.credential]}`)).status, row.status, label);
    else
      for (const authorization of [undefined, 'Bearer wrong'])
        t.equal((await send(row, authorization)).status, row.status, label);
  }
});

t.test(
  'an address that sends too many wrong secrets is rejected, even with the right one; others are not',
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
      t.equal(await statusOf(guesser, right), 429, what);
      t.ok([200, 201].includes(await statusOf(controlPlane.visitor(), right)), what);
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

t.test('a licence key reads only the boxes of its customer', async (t) => {
  const { key: otherKey } = await controlPlane.mint('customer-3');
  const status = { method: 'GET', path: '/boxes/deploy/status?name=shop', credential: 'license', status: 404 } as const;
  t.match(await send(status, `Bearer ${otherKey}`), { status: 404, body: { code: 'not_found' } });
  t.match(await send({ ...status, path: '/boxes/deploy/status' }, `Bearer ${key}`), { status: 400 });
});

t.test('invalid requests are rejected before they reach a handler', async (t) => {
  const { admin } = controlPlane;
  const json = { 'content-type': 'application/json' };
  const cases: [label: string, response: Promise<unknown>, status: number, code: string][] = [
    ['broken JSON', admin.post('/license/keys', '{"customerId":'), 400, 'malformed_json'],
    ['no body', admin.call('POST', '/license/keys'), 400, 'invalid_request'],
    ['an empty body', admin.call('POST', '/license/keys', { body: '', headers: json }), 400, 'invalid_request'],
    ['an array', admin.post('/license/keys', []), 400, 'invalid_request'],
    ['null', admin.post('/license/keys', 'null'), 400, 'invalid_request'],
    [
      'a form',
      admin.post('/license/keys', 'tier=basic', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'text',
      admin.post('/license/keys', '{}', { headers: { 'content-type': 'text/plain' } }),
      415,
      'unsupported_media_type',
    ],
    [
      'a body that is too large',
      admin.post('/license/keys', { customerId: 'c'.repeat(2_000_000), tier: 'basic' }),
      413,
      'body_too_large',
    ],
    ['an unknown path', admin.get('/licenses'), 404, 'not_found'],
    ['an unknown query parameter', admin.get('/license/keys?page=2'), 400, 'invalid_request'],
  ];
  for (const [label, response, status, code] of cases) t.match(await response, { status, body: { code } }, label);
  for (const row of rows.filter(({ path }) => path !== '/docs')) {
    const response = await controlPlane.visitor().call('PUT', row.path.split('?')[0] as string);
    t.match(response, { status: 405, body: { code: 'method_not_allowed' } }, row.path);
    t.match(response.headers.get('allow'), row.method);
  }
});

t.test('a problem reveals nothing of the implementation', async (t) => {
  const response = await controlPlane.admin.get(
    '/license/keys?cursor=WyJuZXdlc3QiLCJub3QgYSB0aW1lIiwiMDFhMWZkYWEtNDNiMS03MWNlLTlmNzUtYTE0MTQ4MDZiOGEyIl0',
  );
  t.match(response, { status: 400, body: { code: 'invalid_request' } });
  t.notMatch(JSON.stringify(response.body), /select|license_keys|\.ts|timestamp/);
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
