// Metrics of the registry: what they count, and who may read them.

import t, { type Test } from 'tap';
import {
  generateKey,
  openRegistry,
  prepareStorage,
  publishSecret,
  send,
  signToken,
  waitUntil,
} from '../testing/index.ts';

const metricsSecret = 'metrics-secret-of-the-tests';
const storageWithPackages = await prepareStorage(
  t,
  { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } },
  { name: '@carton/collection', version: '2.0.0', carton: { tier: 'growth' } },
);
const tarball = '/@carton/cart/-/cart-1.2.0.tgz';

/** Starts a registry with metrics; `samples` returns the values of its own metrics, without those of the process. */
async function start(t: Test) {
  const opened = await openRegistry(t, {
    storage: await storageWithPackages(t),
    metricsSecret,
    withdrawalInterval: 20,
  });
  const { registry } = opened;
  const samples = async () => {
    const { status, body } = await send(registry, '/metrics', metricsSecret);
    t.equal(status, 200);
    const lines = body.split('\n').filter((line) => line.startsWith('carton_registry_'));
    return Object.fromEntries(
      lines.map((line) => {
        const [, name = '', value] = /^carton_registry_(\S+) (\S+)$/.exec(line) ?? [];
        return [name, Number(value)];
      }),
    );
  };
  return { ...opened, samples };
}

t.test('requests, refusals, downloads and bytes are counted', async (t) => {
  const { registry, samples, tokenOf } = await start(t);
  const token = await tokenOf();
  const { length } = (await send(registry, tarball, token)).body;
  await send(registry, tarball, token, { headers: { Range: 'bytes=0-9' } });
  await send(registry, '/@carton/cart', token);
  await send(registry, '/@carton/collection', token);
  await send(registry, '/@carton/collection', token);
  await send(registry, '/@carton/cart');
  await send(registry, '/@carton/cart', 'nonsense');
  await send(registry, '/-/ping');
  await waitUntil(async () => (await samples()).tarball_bytes_total === length + 10);
  const all = await samples();
  const counted = Object.entries(all).filter(([name]) => /_total/.test(name) && !name.includes('kind="metrics"'));
  t.strictSame(Object.fromEntries(counted), {
    'requests_total{kind="tarball",status="200"}': 1,
    'requests_total{kind="tarball",status="206"}': 1,
    'requests_total{kind="packument",status="200"}': 1,
    'requests_total{kind="packument",status="403"}': 2,
    'requests_total{kind="packument",status="401"}': 2,
    'requests_total{kind="ping",status="200"}': 1,
    'refusals_total{code="not_entitled"}': 2,
    'refusals_total{code="token_missing"}': 1,
    'refusals_total{code="token_invalid"}': 1,
    'credentials_refused_total{credential="publisher",reason="wrong"}': 1,
    'downloads_total{outcome="allowed"}': 1,
    'downloads_total{outcome="denied"}': 1,
    tarball_bytes_total: length + 10,
    packument_conflicts_total: 0,
  });
});

t.test('each kind of wrong token and secret is refused, and counted by reason', async (t) => {
  const { controlPlane, registry, samples, key } = await start(t);
  const sign = (claims = {}, by = key) => signToken(by, registry.url, claims);
  const right = await sign();
  const [header, payload, signature] = right.split('.') as [string, string, string];
  const edited = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const withheld = { alg: 'none', typ: 'JWT', kid: key.kid };
  controlPlane.state.withdrawals = [{ licenseId: 'licence-1', customerId: 'c', withdrawnAt: new Date().toISOString() }];
  const withdrawn = await sign({ license: 'licence-1' });
  await waitUntil(async () => (await send(registry, tarball, withdrawn)).status === 403);
  const before = await samples();
  const cases: [reason: string, token: string, status: number][] = [
    ['audience', await sign({ aud: 'http://another.example' }), 401],
    ['issuer', await sign({ iss: 'another' }), 401],
    ['expired', await sign({ exp: Math.floor(Date.now() / 1000) - 60 }), 401],
    ['unknown_key', await sign({}, generateKey()), 401],
    ['signature', [header, encode({ ...edited, tier: 'enterprise' }), signature].join('.'), 401],
    ['signature', await sign({}, { ...generateKey(), kid: key.kid }), 401],
    ['algorithm', [encode(withheld), payload, ''].join('.'), 401],
    ['algorithm', [encode({ ...withheld, alg: 'HS256' }), payload, signature].join('.'), 401],
    ['claims', await sign({ sub: '' }), 401],
    ['malformed', `eyJ.${payload}.${signature}`, 401],
    ['withdrawn', withdrawn, 403],
  ];
  const expected: Record<string, number> = {};
  for (const [reason, token, status] of cases) {
    t.equal((await send(registry, tarball, token)).status, status, reason);
    const name = `credentials_refused_total{credential="token",reason="${reason}"}`;
    expected[name] = (expected[name] ?? before[name] ?? 0) + 1;
  }
  await send(registry, '/-/whoami', 'a guess');
  await send(registry, '/-/whoami', 'another-guess');
  expected['credentials_refused_total{credential="publisher",reason="wrong"}'] = 1;
  await send(registry, '/metrics', 'a-guess');
  expected['credentials_refused_total{credential="metrics",reason="wrong"}'] = 1;
  t.equal((await send(registry, tarball, right)).status, 200);
  const counted = Object.entries(await samples()).filter(([name]) => name.startsWith('credentials_'));
  t.strictSame(Object.fromEntries(counted), expected);
});

t.test('reports that wait and ages show that the control plane is away', async (t) => {
  const { controlPlane, registry, samples, tokenOf } = await start(t);
  const token = await tokenOf();
  await send(registry, tarball, token);
  await waitUntil(async () => (await samples())['reports{state="due"}'] === 0);
  const before = await samples();
  t.strictSame([before.oldest_report_age_seconds, before['reports{state="dead"}']], [0, 0]);

  controlPlane.state.reportStatus = 503;
  await send(registry, tarball, token);
  await send(registry, '/@carton/collection', token);
  await waitUntil(async () => (await samples())['reports{state="due"}'] === 2);
  await waitUntil(async () => ((await samples()).oldest_report_age_seconds ?? 0) > 0);

  await controlPlane.stop();
  const ages = ['withdrawals_age_seconds', 'signing_keys_age_seconds'] as const;
  for (const name of ages) {
    const first = (await samples())[name] ?? Number.NaN;
    await waitUntil(async () => ((await samples())[name] ?? 0) > first + 0.1);
  }
});

t.test('reading withdrawn licences resets their age', async (t) => {
  const { samples } = await start(t);
  let last = 0;
  await waitUntil(async () => {
    const { withdrawals_age_seconds: age = 0 } = await samples();
    const isReset = age < last;
    last = age;
    return isReset;
  });
});

t.test('metrics need their own secret, and exist only with one', async (t) => {
  const { registry, tokenOf } = await start(t);
  for (const bearer of [undefined, 'wrong', publishSecret, await tokenOf()]) {
    const { status, body } = await send(registry, '/metrics', bearer);
    t.strictSame([status, JSON.parse(body).code], [401, 'metrics_secret_wrong']);
  }
  const { status, headers, body } = await send(registry, '/metrics?name=x', metricsSecret);
  t.equal(status, 200);
  t.equal(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  t.match(body, /^process_cpu_seconds_total /m);
  for (const path of ['/@carton/cart', tarball]) t.equal((await send(registry, path, metricsSecret)).status, 401);

  const { registry: without } = await openRegistry(t);
  t.equal((await send(without, '/metrics')).status, 401);
  t.equal((await send(without, '/metrics', publishSecret)).status, 404);
});
