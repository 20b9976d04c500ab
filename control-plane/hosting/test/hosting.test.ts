/**
 * Requests through Caddy reach the right tenant of the right box, and nothing that a client sends changes that.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { openHostingSecrets } from '../../boxes/hosting-secret.ts';
import { missing } from './caddy.ts';
import { hosts, startTestHosting } from './test-hosting.ts';

if (missing) t.plan(0, missing);
else {
  const stack = await startTestHosting(t);
  const { caddy, boxes } = stack;
  const storeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).name];

  t.test('exact, wildcard and internationalised hosts reach their tenants, with HTTP/1.1 and 2', async (t) => {
    const names = { linen: 'linen-shop', buecher: 'buecher-shop', wool: 'wool' };
    for (const [tenant, name] of Object.entries(names)) {
      const host = hosts[tenant as keyof typeof hosts];
      t.strictSame(storeOf(await caddy.request(host, '/store')), [200, name], `${host} with HTTP/1.1`);
      t.strictSame(storeOf(await caddy.request2(host, '/store')), [200, name], `${host} with HTTP/2`);
    }
    t.equal((await caddy.request('other.shops.example', '/store')).status, 404, 'no tenant has this slug');
  });

  t.test('a request keeps its method, path and body; the box knows the client and the host', async (t) => {
    const body = JSON.stringify({ email: stack.tenants.linen.email, password: stack.tenants.linen.password });
    const answer = await caddy.request(hosts.linen, '/admin/auth/login?next=%2Fa%20b', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) },
      body,
    });
    t.equal(answer.status, 200);
    t.type(JSON.parse(answer.text).token, 'string');
  });

  t.test('the headers of the hosting layer that a client sends change nothing', async (t) => {
    const forged = {
      'x-tenant-slug': 'buecher-shop',
      'X-Hosting-Secret': boxes.one.secrets.hosting,
      'hosting-tenant-slug': 'buecher-shop',
      'hosting-backend': '127.0.0.1:1',
      'hosting-scheme': 'https',
      'hosting-secret': 'forged',
      'hosting-host': hosts.buecher,
      'x-forwarded-host': hosts.buecher,
      'x-forwarded-uri': '/ask',
      forwarded: `host=${hosts.buecher}`,
      authorization: 'Bearer forged',
    };
    for (const send of [caddy.request, caddy.request2]) {
      t.strictSame(storeOf(await send(hosts.linen, '/store', { headers: forged })), [200, 'linen-shop']);
      const { status } = await send('loose.example', '/store', { headers: forged });
      t.equal(status, 404, 'the box knows no tenant of this host');
    }
  });

  t.test('a host without a tenant in the answer sends no header as text', async (t) => {
    const { status, text } = await caddy.request('loose.example', '/store');
    t.equal(status, 404);
    t.match(JSON.parse(text), { code: 'tenant_not_found', detail: 'No store is served at loose.example.' });
    t.notMatch(text, /[{}]http\./);
  });

  t.test('clients cannot use what a box offers to the hosting layer', async (t) => {
    for (const path of [
      '/tenants/lookup',
      '/tenants/lookup/',
      '/tenants/%6cookup',
      '/Tenants/Lookup',
      '//tenants/lookup',
    ]) {
      for (const send of [caddy.request, caddy.request2]) {
        const { status, text } = await send(hosts.linen, `${path}?host=${hosts.buecher}`);
        t.equal(status, 404, path);
        t.notMatch(text, /buecher-shop/, path);
      }
    }
  });

  t.test('the service answers only the proxy, and says nothing of hosts that are not served', async (t) => {
    const ask = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${stack.hosting.url}${path}`, { headers });
    const host = { 'hosting-host': hosts.linen };
    const right = { authorization: `Bearer ${stack.proxySecret}` };
    t.equal((await ask('/route', host)).status, 401);
    t.equal((await ask('/route', { ...host, authorization: 'Bearer wrong' })).status, 401);
    const found = await ask('/route', { ...host, ...right });
    t.equal(found.status, 204);
    t.strictSame(
      ['scheme', 'backend', 'tenant-slug', 'secret'].map((name) => found.headers.get(`hosting-${name}`)),
      ['http', `one.boxes.shop:${new URL(boxes.one.url).port}`, 'linen-shop', boxes.one.secrets.hosting],
    );
    t.equal((await ask('/route', right)).status, 404, 'without a host');
    t.equal((await ask('/anything', right)).status, 404);
  });

  t.test('certificates are for proved names only', async (t) => {
    const ask = async (query: string) => (await fetch(`${stack.hosting.url}/ask${query}`)).status;
    const refused = ['unknown.example', '127.0.0.1', '203.0.113.9', '[::1]', '::1', '2001:db8::1', '*.shops.example'];
    for (const name of [...refused, 'shops.example', 'a.b.shops.example', '']) {
      t.equal(await ask(`?domain=${encodeURIComponent(name)}`), 404, name);
    }
    t.equal(await ask(''), 404);
    t.equal(await ask('?domain=linen.example&domain=unknown.example'), 404);
    for (const name of Object.values(hosts)) t.equal(await ask(`?domain=${name}`), 200, name);
    const { key } = await stack.controlPlane.mint();
    await stack.deploy('pending', 'https://192.0.2.1', ['unproved.dev'], key);
    t.equal(await ask('?domain=unproved.dev'), 404, 'a claim that is not proved');
    await t.rejects(caddy.request('unknown.example', '/store'), /alert|handshake|ECONNRESET/, 'no certificate');
  });

  t.test('TLS verifies the name of a backend, and names behind one address share no connection', async (t) => {
    t.equal((await caddy.request(hosts.wool, '/store')).status, 200);
    const server = createServer(await stack.front.certificateOf('two.boxes.shop'), (_, response) => response.end('ok'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    stack.responses['other.boxes.shop'] = { a: ['127.0.0.1'] };
    await stack.deploy('right', `https://two.boxes.shop:${port}`, ['right.example']);
    await stack.deploy('wrong', `https://other.boxes.shop:${port}`, ['wrong.example']);
    for (let round = 0; round < 3; round += 1) {
      t.equal((await caddy.request('right.example', '/')).text, 'ok');
      t.equal((await caddy.request('wrong.example', '/')).status, 502);
    }
  });

  t.test('a secret is found only for the URL that was resolved, and only with its key', async (t) => {
    const { db, options } = stack.controlPlane;
    const url = `https://two.boxes.shop:${stack.front.port}`;
    const find = (keySecret: string | undefined, backendUrl = url) =>
      openHostingSecrets(db, keySecret).find('*.shops.example', backendUrl);
    t.equal(await find(options.signingKeySecret), boxes.two.secrets.hosting);
    t.equal(await find(options.signingKeySecret, 'https://another.boxes.shop'), null);
    for (const wrong of [undefined, 'another-key-secret']) {
      await t.rejects(find(wrong), /SIGNING_KEY_SECRET does not decrypt the hosting secret of a box/);
    }
    const [one, two] = await db('boxes').whereIn('name', ['one', 'two']).orderBy('name');
    await db('boxes').where({ id: two.id }).update({ hostingSecret: one.hostingSecret });
    await t.rejects(find(options.signingKeySecret), /does not decrypt/, 'the secret of another box');
    await db('boxes').where({ id: two.id }).update({ hostingSecret: two.hostingSecret });
  });

  t.test('the secret of a box is encrypted, kept when it is deployed again, and replaced by its licence', async (t) => {
    const { db } = stack.controlPlane;
    const rows = await db('boxes').whereIn('name', ['one', 'two']).orderBy('name').select('hostingSecret');
    for (const { hostingSecret } of rows) t.match(hostingSecret, /^v1\.[\w-]{16}\.[\w-]{22}\.[\w-]{58}$/);
    const kept = stack.boxes.two.secrets.hosting;
    const bearer = { headers: { authorization: `Bearer ${stack.controlPlane.options.hostingSecret}` } };
    const read = () => stack.controlPlane.visitor().get(`/boxes/hosting?host=${hosts.wool}`, bearer);
    const backendUrl = `https://two.boxes.shop:${stack.front.port}`;
    t.strictSame((await read()).body, {
      backendUrl,
      match: 'wildcard',
      tenantSlug: 'wool',
      addresses: ['127.0.0.1'],
      hostingSecret: kept,
    });
    const { key: other } = await stack.controlPlane.mint();
    await t.rejects(stack.replaceSecret('two', other), /You have no box named two/, 'the box of another customer');
    await stack.deploy('two', backendUrl, ['*.shops.example']);
    t.equal((await read()).body.hostingSecret, kept);
    const replaced = await stack.replaceSecret('two');
    t.not(replaced, kept);
    t.equal((await read()).body.hostingSecret, replaced);
  });
}
