/**
 * A box or the control plane is away: the pages that clients see, and what goes on.
 */
import t from 'tap';
import { missing } from './caddy.ts';
import { hosts, startTestHosting } from './test-hosting.ts';

if (missing) t.plan(0, missing);
else {
  const stack = await startTestHosting(t);
  const { caddy } = stack;
  const heading = (text: string) => text.match(/<h1>(.*)<\/h1>/)?.[1];

  t.test('without TLS there is a redirect for a host that is served, and a page for others', async (t) => {
    const { status, text } = await caddy.plain(hosts.linen, '/a?b=1');
    t.equal(status, 308);
    t.equal(text, '');
    const unknown = await caddy.plain('unknown.example', '/a');
    t.equal(unknown.status, 404);
    t.equal(heading(unknown.text), 'No store is served here');
    t.match(unknown.headers, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  });

  t.test('a suspended tenant is answered by its box', async (t) => {
    const { id } = stack.tenants.buecher;
    const suspend = (status: string) => stack.boxes.one.operator.patch(`/admin/tenants/${id}`, { status });
    t.equal((await suspend('suspended')).status, 200);
    const answer = await caddy.request(hosts.buecher, '/store');
    t.equal(answer.status, 403);
    t.equal(JSON.parse(answer.text).code, 'tenant_suspended');
    await suspend('active');
  });

  t.test('a backend whose address has become forbidden gets no request', async (t) => {
    const { key } = await stack.controlPlane.mint();
    stack.responses['moving.boxes.shop'] = { a: ['127.0.0.1'] };
    const { port } = new URL(stack.boxes.one.url);
    await stack.deploy('moving', `http://moving.boxes.shop:${port}`, ['moving.example'], key);
    t.equal((await caddy.request('moving.example', '/health')).status, 200);
    stack.responses['moving.boxes.shop'] = { a: ['169.254.169.254'] };
    stack.pass(31);
    const other = `http://moved.boxes.shop:${port}`;
    stack.responses['moved.boxes.shop'] = { a: ['169.254.169.254'] };
    await stack.controlPlane.db('boxes').where({ name: 'moving' }).update({ backendUrl: other });
    await stack.controlPlane.server.served.catchUp();
    const refused = await caddy.request('moving.example', '/health');
    t.equal(refused.status, 503);
    t.equal(heading(refused.text), 'This store cannot be found at the moment');
    t.equal(refused.headers['retry-after'], undefined);
  });

  t.test('while the control plane is away, known hosts go on and unknown ones may come back', async (t) => {
    for (const host of Object.values(hosts)) t.equal((await caddy.request(host, '/store')).status, 200);
    await stack.controlPlane.server.stop();
    for (const seconds of [0, 31, 3600, 20 * 3600]) {
      stack.pass(seconds);
      for (const host of Object.values(hosts)) {
        t.equal((await caddy.request(host, '/store')).status, 200, `${host} ${seconds} seconds later`);
      }
    }
    const unknown = await caddy.plain('late.shops.example', '/');
    t.equal(unknown.status, 503);
    t.equal(heading(unknown.text), 'This store cannot be found at the moment');
    t.equal(unknown.headers['retry-after'], '10');
    t.equal((await fetch(`${stack.hosting.url}/ask?domain=late.shops.example`)).status, 503, 'no certificate');
    stack.pass(24 * 3600);
    t.equal((await caddy.request(hosts.linen, '/store')).status, 503, 'a day later');
    stack.pass(-24 * 3600);
  });

  t.test('a box that is away has a page, whatever the method; the other box goes on', async (t) => {
    await stack.boxes.one.box.stop();
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, text, headers } = await caddy.request(hosts.linen, '/store', { method });
      t.equal(status, 502, method);
      t.equal(heading(text), 'This store is away for a moment');
      t.equal(headers['retry-after'], '10');
      t.equal(headers['cache-control'], 'no-store');
    }
    t.equal((await caddy.request(hosts.linen, '/store', { method: 'HEAD' })).status, 502);
    t.equal((await caddy.request(hosts.wool, '/store')).status, 200);
  });

  t.test('without the hosting service there is a page too', async (t) => {
    await stack.hosting.stop();
    const { status, text } = await caddy.request(hosts.wool, '/store');
    t.equal(status, 502);
    t.equal(heading(text), 'This store is away for a moment');
  });
}
