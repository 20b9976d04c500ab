/**
 * What Caddy sends to a box for each answer of the hosting service, also for incomplete ones. A small server gives these
 * answers, and another returns the request that it received.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { missing, startTestCaddy } from './caddy.ts';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (missing) t.plan(0, missing);
else {
  let answer: Record<string, string> = {};
  let asked: Record<string, unknown> = {};
  const service = await serve(async (request, response) => {
    if (request.url?.startsWith('/ask')) return response.end();
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    asked = { method, url, body, headers };
    response.writeHead(204, answer).end();
  });
  const box = await serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body }));
  });
  const caddy = await startTestCaddy(t, {
    HOSTING_SERVICE: service,
    HOSTING_NAMES: '127.0.0.1:9',
    PROXY_SECRET: 'secret-of-the-proxy',
  });
  const complete = {
    'Hosting-Scheme': 'http',
    'Hosting-Backend': box,
    'Hosting-Tenant-Slug': 'linen',
    'Hosting-Secret': 'secret-of-the-box',
  };
  const without = (...names: string[]) =>
    Object.fromEntries(Object.entries(complete).filter(([n]) => !names.includes(n)));
  const forged = {
    'X-Tenant-Slug': 'forged',
    'x-hosting-secret': 'forged',
    'X-Hosting-Anything': 'forged',
    'Hosting-Scheme': 'forged',
    'Hosting-Backend': 'forged',
    'Hosting-Tenant-Slug': 'forged',
    'Hosting-Secret': 'forged',
    'Hosting-Host': 'forged.example',
    'X-Forwarded-For': '192.0.2.66',
    'X-Forwarded-Host': 'forged.example',
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Port': '66',
    'X-Real-Ip': '192.0.2.66',
    Forwarded: 'for=192.0.2.66;host=forged.example',
    Authorization: 'Bearer of-the-client',
    Cookie: 'session=of-the-client',
  };
  const send = () =>
    caddy.request('linen.example', '/cart?x=%2F', { method: 'POST', body: 'the body', headers: forged });

  t.test('the box gets the request with the headers of the service, and none that a client forged', async (t) => {
    answer = complete;
    const { method, url, headers, body } = JSON.parse((await send()).text);
    t.strictSame([method, url, body], ['POST', '/cart?x=%2F', 'the body']);
    const {
      'transfer-encoding': _,
      'user-agent': agent,
      'accept-encoding': encoding,
      'content-length': length,
      ...rest
    } = headers;
    t.strictSame(rest, {
      host: 'linen.example',
      authorization: 'Bearer of-the-client',
      cookie: 'session=of-the-client',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'linen.example',
      'x-forwarded-proto': 'https',
      'x-tenant-slug': 'linen',
      'x-hosting-secret': 'secret-of-the-box',
    });
  });

  t.test('the service gets the host, not the credentials and the body of the client', async (t) => {
    answer = complete;
    await send();
    t.match(asked, { method: 'GET', url: /^\/route/, body: '' });
    const { headers } = asked as { headers: Record<string, string> };
    t.equal(headers['hosting-host'], 'linen.example');
    t.equal(headers.authorization, 'Bearer secret-of-the-proxy');
    t.equal(headers.cookie, undefined);
  });

  t.test('a header that is missing in the answer is empty at the box', async (t) => {
    answer = without('Hosting-Tenant-Slug', 'Hosting-Secret');
    const { headers } = JSON.parse((await send()).text);
    t.equal(headers['x-tenant-slug'], '');
    t.equal(headers['x-hosting-secret'], '');
    t.notMatch(JSON.stringify(headers), /[{]http|forged/);
  });

  t.test('an answer without a backend is 502, and its secret stays here', async (t) => {
    for (const missing of ['Hosting-Backend', 'Hosting-Scheme']) {
      answer = without(missing);
      const { status, text, headers } = await send();
      t.equal(status, 502, missing);
      t.notMatch(JSON.stringify(headers) + text, /secret-of-the-box|forged/);
    }
  });
}
