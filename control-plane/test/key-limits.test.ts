/**
 * Limits of those who hold a valid key: activations, other changes, and checks of domains.
 */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { changesPerMinute, checksPerMinute, createLicenseLimits, readsPerMinute } from '../license/limits.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db } = controlPlane;
const activate = (key: string) => controlPlane.visitor().post('/license/activate', { key });
const statusesOf = (responses: { status: number }[]) => responses.map(({ status }) => status);

t.test('a key that leaked stores one row of an installation, and activates so often only', async (t) => {
  const { id, key } = await controlPlane.mint();
  const other = await controlPlane.mint();
  const responses: Awaited<ReturnType<typeof activate>>[] = [];
  const isRefused = ({ status }: { status: number }) => status === 429;
  // A slow machine needs more than 400, since the count falls meanwhile.
  while (!responses.some(isRefused) && responses.length < 20 * changesPerMinute)
    responses.push(...(await Promise.all(Array.from({ length: 20 }, () => activate(key)))));
  t.strictSame(new Set(statusesOf(responses)), new Set([200, 429]));
  t.ok(responses.length >= changesPerMinute);
  const refused = responses.find(isRefused);
  t.match(refused, { body: { code: 'too_many_requests', detail: /this licence key/ } });
  t.ok(Number(refused?.headers.get('retry-after')) > 0);
  t.equal((await db('license_activations').where({ licenseId: id }).select('id')).length, 1);
  const headers = { authorization: `Bearer ${key}` };
  t.equal((await controlPlane.visitor().get('/license', { headers })).status, 200, 'it can still be read');
  t.equal((await activate(other.key)).status, 200, 'another key');
});

t.test('requests of a licence, and checks of a domain by a customer, are limited by the minute', async (t) => {
  let now = 0;
  const limits = createLicenseLimits(() => now);
  const refused = (call: () => void) => {
    try {
      call();
      return null;
    } catch (error) {
      return Number((error as { headers: Record<string, string> }).headers['Retry-After']);
    }
  };
  for (const [kind, limit] of [
    ['write', changesPerMinute],
    ['read', readsPerMinute],
  ] as const) {
    for (let count = 0; count < limit; count += 1) limits.countRequest('one', kind);
    t.equal(
      refused(() => limits.countRequest('one', kind)),
      1,
      kind,
    );
    t.equal(
      refused(() => limits.countRequest('other', kind)),
      null,
    );
  }
  const row = (customerId: string, domain: string) => ({ customerId, domain });
  const [store, blog] = [row('one', 'store.example.com'), row('one', 'blog.example.com')];
  for (let count = 0; count < checksPerMinute; count += 1) t.strictSame(limits.countChecks([store]), [store]);
  t.strictSame(limits.countChecks([store, blog]), [blog], 'another domain of the box');
  t.equal(
    refused(() => limits.countChecks([store])),
    60 / checksPerMinute,
  );
  t.equal(
    refused(() => limits.countChecks([row('other', 'store.example.com')])),
    null,
    'another customer who claims it',
  );
  t.strictSame(limits.countChecks([]), []);
  now += 60_000 / checksPerMinute;
  t.strictSame(limits.countChecks([store]), [store]);
});

t.test('checks of a domain on request are limited', async (t) => {
  const { key } = await controlPlane.mint();
  const domains = [`store-${randomUUID()}.store`];
  const box = { key, name: 'store', backendUrl: 'https://box.example.com', domains };
  t.equal((await controlPlane.visitor().post('/boxes/deploy', box)).status, 200);
  const headers = { authorization: `Bearer ${key}` };
  const verify = () => controlPlane.visitor().post('/boxes/domains/verify', { name: 'store' }, { headers });
  const statuses: number[] = [];
  while (!statuses.includes(429) && statuses.length < 20 * checksPerMinute) statuses.push((await verify()).status);
  t.strictSame(new Set(statuses), new Set([200, 429]));
  t.ok(statuses.length > checksPerMinute);
  t.equal((await controlPlane.visitor().get('/boxes/deploy/status?name=store', { headers })).status, 200);
});
