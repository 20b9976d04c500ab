/**
 * The URLs of boxes: public https addresses, by their text and by the addresses to which their names resolve.
 */
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { type DnsResponse, startResponder } from '../boxes/testing/dns-responder.ts';
import { startTestControlPlane, type TestControlPlane } from './test-control-plane.ts';

const responses: Record<string, DnsResponse> = {
  'public.acme.shop': { a: ['203.0.113.7'] },
  'private.acme.shop': { a: ['203.0.113.7', '10.1.2.3'] },
  'metadata.acme.shop': { a: ['169.254.169.254'] },
  'loopback.acme.shop': { a: ['127.0.0.1'] },
  'broken.acme.shop': 'server failure',
  'moving.acme.shop': { a: ['203.0.113.7'] },
  'flapping.acme.shop': { a: ['10.0.0.1'] },
};
const responder = await startResponder(t, responses);
const options = { nameserverLookup: responder.address };
const controlPlane = await startTestControlPlane(t, options);
const lenient = await startTestControlPlane(t, { ...options, allowHttpBackends: true, allowPrivateBackends: true });

let deployments = 0;
const deploy = async (to: TestControlPlane, urls: { backendUrl: string; frontendUrl?: string }) => {
  deployments += 1;
  const { key } = await to.mint();
  const domain = `box-${deployments}.example`;
  const response = await to.visitor().post('/boxes/deploy', { key, name: 'shop', domains: [domain], ...urls });
  const status = () =>
    to.visitor().get('/boxes/deploy/status?name=shop', { headers: { authorization: `Bearer ${key}` } });
  return { response, status, resolve: () => to.visitor().get(`/boxes/resolve?host=${domain}`) };
};

t.test('which URLs a box may have', async (t) => {
  // By default, and in tests and closed networks.
  const cases: [url: string, byDefault: number, inTests: number][] = [
    ['https://public.acme.shop', 200, 200],
    ['https://public.acme.shop.:8443/base', 200, 200],
    ['https://203.0.113.7', 200, 200],
    ['https://[2606:4700::1111]', 200, 200],
    ['https://unresolved.acme.shop', 200, 200],
    ['https://broken.acme.shop', 200, 200],
    ['http://public.acme.shop', 400, 200],
    ['http://127.0.0.1:3001', 400, 200],
    ['ftp://public.acme.shop', 400, 400],
    ['https://user@public.acme.shop', 400, 400],
    ['https://:secret@public.acme.shop', 400, 400],
    ['https://control.vendor.example', 400, 400],
    ['https://CONTROL.vendor.example.:4000', 400, 400],
    ['https://localhost', 400, 200],
    ['https://box.localhost', 400, 200],
    ['https://box.internal', 400, 200],
    ['https://backend:3001', 400, 200],
    ['https://127.0.0.1', 400, 200],
    ['https://127.1', 400, 200],
    ['https://2130706433', 400, 200],
    ['https://0x7f.0.0.1', 400, 200],
    ['https://0177.0.0.1', 400, 200],
    ['https://127.0.0.1.', 400, 200],
    ['https://10.0.0.1', 400, 200],
    ['https://172.16.0.1', 400, 200],
    ['https://172.31.255.255', 400, 200],
    ['https://172.32.0.1', 200, 200],
    ['https://192.168.1.1', 400, 200],
    ['https://100.64.0.1', 400, 200],
    ['https://[::1]', 400, 200],
    ['https://[fd12:3456::1]', 400, 200],
    ['https://[::ffff:127.0.0.1]', 400, 200],
    ['https://[::ffff:a00:1]', 400, 200],
    ['https://[::ffff:203.0.113.7]', 200, 200],
    ['https://[::ffff:0:127.0.0.1]', 400, 400],
    ['https://[::ffff:0:a00:1]', 400, 400],
    ['https://[::ffff:169.254.169.254]', 400, 400],
    ['https://0.0.0.0', 400, 400],
    ['https://169.254.169.254', 400, 400],
    ['https://100.100.100.200', 400, 400],
    ['https://168.63.129.16', 400, 400],
    ['https://192.0.0.192', 400, 400],
    ['https://224.0.0.1', 400, 400],
    ['https://255.255.255.255', 400, 400],
    ['https://[::]', 400, 400],
    ['https://[::7f00:1]', 400, 400],
    ['https://[fe80::1]', 400, 400],
    ['https://[ff02::1]', 400, 400],
    ['https://[fd00:ec2::254]', 400, 400],
    ['https://[64:ff9b::a9fe:a9fe]', 400, 400],
    ['https://[2002:7f00:1::]', 400, 400],
    ['https://private.acme.shop', 400, 200],
    ['https://loopback.acme.shop', 400, 200],
    ['https://metadata.acme.shop', 400, 400],
  ];
  for (const [url, byDefault, inTests] of cases) {
    const { response } = await deploy(controlPlane, { backendUrl: url });
    t.equal(response.status, byDefault, url);
    if (byDefault === 400) t.match(response.body.errors, exactly([{ in: 'body', pointer: '/backendUrl' }]), url);
    t.equal((await deploy(lenient, { backendUrl: url })).response.status, inTests, `${url} in tests`);
  }
  const storefront = { backendUrl: 'https://public.acme.shop', frontendUrl: 'https://10.0.0.1' };
  t.match((await deploy(controlPlane, storefront)).response, {
    status: 400,
    body: { errors: exactly([{ pointer: '/frontendUrl' }]) },
  });
});

t.test('the status says to which addresses the URLs lead', async (t) => {
  const cases: [host: string, state: string, addresses: string[]][] = [
    ['public.acme.shop', 'allowed', ['203.0.113.7']],
    ['unresolved.acme.shop', 'unresolved', []],
    ['broken.acme.shop', 'unknown', []],
  ];
  for (const [host, state, addresses] of cases) {
    const url = `https://${host}`;
    const { body } = await (await deploy(controlPlane, { backendUrl: url, frontendUrl: url })).status();
    const backend = { url, state, addresses, error: null };
    t.strictSame(body.backends, [backend, backend], host);
  }
});

t.test('a backend that now leads to a forbidden address is not returned', async (t) => {
  const backendUrl = 'https://moving.acme.shop';
  const { resolve } = await deploy(controlPlane, { backendUrl });
  t.match(await resolve(), { status: 200, body: { backendUrl } });
  responses['moving.acme.shop'] = { a: ['169.254.169.254'] };
  t.equal((await resolve()).status, 200, 'addresses are kept for a while');
  // Another process has no addresses of it yet.
  const restarted = await startTestControlPlane(t, options);
  const later = await deploy(restarted, { backendUrl: 'https://later.acme.shop' });
  t.equal((await later.resolve()).status, 200, 'a name that does not exist leads nowhere');
  await restarted.db('boxes').update({ backendUrl });
  await restarted.server.served.catchUp();
  const refused = await later.resolve();
  t.match(refused, { status: 503, body: { code: 'backend_forbidden' } });
  t.equal(refused.headers.get('cache-control'), 'no-store');
  t.notMatch(JSON.stringify(refused.body), '169.254');
  const { body } = await later.status();
  t.match(body.backends, exactly([{ state: 'forbidden', error: /169\.254\.169\.254/ }]));
});

t.test('boxes of earlier releases with a forbidden URL are not returned', async (t) => {
  const { resolve } = await deploy(controlPlane, { backendUrl: 'https://public.acme.shop' });
  t.equal((await resolve()).status, 200);
  await controlPlane.db('boxes').update({ backendUrl: 'http://169.254.169.254/' });
  await controlPlane.server.served.catchUp();
  t.match(await resolve(), { status: 503, body: { code: 'backend_forbidden' } });
});
