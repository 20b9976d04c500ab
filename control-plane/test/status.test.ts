/**
 * The status of a deployment, with a DNS server that has a prepared response for each case.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { type DnsResponse, startResponder } from '../boxes/test/dns-responder.ts';
import { nameservers, startTestControlPlane } from './test-control-plane.ts';

const responses: Record<string, DnsResponse> = {
  'delegated.example': nameservers,
  'www.delegated.example': 'no data',
  'reversed.example': ['NS2.Vendor.example', 'ns1.vendor.example'],
  'single.example': [nameservers[0] as string],
  'subzone.parent.example': nameservers,
  'parent.example': ['ns.parent.example'],
  'elsewhere.example': ['ns1.elsewhere.example', 'ns2.elsewhere.example'],
  'mixed.example': [nameservers[0] as string, 'ns9.elsewhere.example'],
  'broken.example': 'server failure',
  'closed.example': 'refused',
  'slow.example': 'silence',
};
const responder = await startResponder(t, responses);
const controlPlane = await startTestControlPlane(t, { nameserverLookup: responder.address });

async function statusOf(domains: string[]) {
  const { key } = await controlPlane.mint();
  const box = {
    name: 'shop',
    backendUrl: 'https://box.example.com',
    frontendUrl: 'https://front.example.com',
    domains,
  };
  await controlPlane.visitor().post('/boxes/deploy', { key, ...box });
  return controlPlane.visitor().get('/boxes/deploy/status?name=shop', { headers: { authorization: `Bearer ${key}` } });
}

t.test('each domain is verified, failed with a fix, or unknown', async (t) => {
  const cases: [domain: string, state: string, observed: string[], code?: string][] = [
    ['delegated.example', 'verified', nameservers],
    ['www.delegated.example', 'verified', nameservers],
    ['new.www.delegated.example', 'verified', nameservers],
    ['*.delegated.example', 'verified', nameservers],
    ['reversed.example', 'verified', nameservers],
    ['single.example', 'verified', nameservers.slice(0, 1)],
    ['subzone.parent.example', 'verified', nameservers],
    ['other.parent.example', 'failed', ['ns.parent.example'], 'not_delegated'],
    ['elsewhere.example', 'failed', ['ns1.elsewhere.example', 'ns2.elsewhere.example'], 'not_delegated'],
    ['*.elsewhere.example', 'failed', ['ns1.elsewhere.example', 'ns2.elsewhere.example'], 'not_delegated'],
    ['mixed.example', 'failed', [nameservers[0] as string, 'ns9.elsewhere.example'], 'other_nameservers'],
    ['unregistered.example', 'failed', [], 'domain_not_found'],
    ['broken.example', 'unknown', [], 'lookup_failed'],
    ['www.broken.example', 'unknown', [], 'lookup_failed'],
    ['closed.example', 'unknown', [], 'lookup_failed'],
    ['slow.example', 'unknown', [], 'lookup_failed'],
  ];
  const { status, body, headers } = await statusOf(cases.map(([domain]) => domain));
  t.equal(status, 200);
  t.equal(headers.get('cache-control'), 'no-store');
  const { domains, createdAt, updatedAt, ...box } = body;
  t.strictSame(box, { name: 'shop', backendUrl: 'https://box.example.com', frontendUrl: 'https://front.example.com' });
  t.same(
    [createdAt, updatedAt].map((time) => new Date(time).toISOString()),
    [createdAt, updatedAt],
  );
  t.equal(domains.length, cases.length);
  for (const [index, [domain, state, observedNameservers, code]] of cases.entries()) {
    const { checkedAt, errors, ...facts } = domains[index];
    t.strictSame(facts, { domain, state, expectedNameservers: nameservers, observedNameservers }, domain);
    t.equal(new Date(checkedAt).toISOString(), checkedAt);
    t.strictSame(
      errors.map((error: { code: string }) => error.code),
      code ? [code] : [],
      domain,
    );
    for (const error of errors) t.ok(error.detail && error.fix, JSON.stringify(error));
  }
  const fix = domains[8].errors[0].fix;
  t.ok(
    nameservers.every((host) => fix.includes(host)),
    fix,
  );
  t.notOk(responder.queries.includes('example'), 'top-level domains are not looked up');
  t.equal(responder.queries.filter((name) => name === 'elsewhere.example').length, 1, 'each zone is looked up once');
});

t.test('without a DNS server every domain is unknown, and the box is returned nevertheless', async (t) => {
  const closed = createSocket('udp4').bind(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address();
  closed.close();
  await once(closed, 'close');
  const withoutDns = await startTestControlPlane(t, { nameserverLookup: `127.0.0.1:${port}` });
  const { key } = await withoutDns.mint();
  const domains = ['a.example', '*.b.example'];
  await withoutDns.visitor().post('/boxes/deploy', { key, name: 'shop', backendUrl: 'https://b.example.com', domains });
  const headers = { authorization: `Bearer ${key}` };
  const { status, body } = await withoutDns.visitor().get('/boxes/deploy/status?name=shop', { headers });
  t.equal(status, 200);
  t.match(
    body.domains,
    domains.map((domain) => ({ domain, state: 'unknown', errors: [{ code: 'lookup_failed' }] })),
  );
});

t.test('a box without domains, and a box that does not exist', async (t) => {
  t.match(await statusOf([]), { status: 200, body: { domains: exactly([]) } });
  const { key } = await controlPlane.mint();
  const headers = { authorization: `Bearer ${key}` };
  t.match(await controlPlane.visitor().get('/boxes/deploy/status?name=shop', { headers }), { status: 404 });
});
