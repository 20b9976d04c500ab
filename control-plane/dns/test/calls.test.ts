/**
 * Calls of PowerDNS's API that go wrong: the key goes nowhere else, and the log names the cause without it.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@carton/runtime/testing';
import t, { type Test } from 'tap';
import { openPowerDns } from '../powerdns.ts';

const key = 'the-key-of-the-nameserver';

async function serve(t: Test, listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** The error of a call. */
async function failureOf(url: string, signal = AbortSignal.timeout(10_000)) {
  const call = openPowerDns({ url, key }, signal).find('oak.store', true);
  const error = await call.then(
    () => null,
    (error) => error,
  );
  return { name: error?.constructor.name, message: error?.message, isGeneral: error?.isGeneral, cause: error?.cause };
}

const failed = (message: string, isGeneral = true) => ({ name: 'PowerDnsError', message, isGeneral, cause: undefined });

t.test('redirects are not followed', async (t) => {
  const other = await serve(t, (_, response) => response.end('{}'));
  const { url, requests } = await serve(t, (_, response) => response.writeHead(307, { location: other.url }).end());
  t.strictSame(await failureOf(url), failed('PowerDNS could not be called (it redirects)'));
  t.equal(requests[0]?.headers['x-api-key'], key);
  t.equal(other.requests.length, 0, 'the key is sent to no other server');
});

t.test('an answer that does not come, or does not end, is given up', async (t) => {
  for (const listener of [() => {}, (_, response) => response.write('{')] as RequestListener[]) {
    const { url } = await serve(t, listener);
    t.strictSame(await failureOf(url, AbortSignal.timeout(200)), failed('PowerDNS did not respond in time'));
  }
});

t.test('each failure is named, and whether other zones would fail as well', async (t) => {
  let status = 0;
  const { url } = await serve(t, (_, response) => response.writeHead(status).end('not found'));
  for (const [code, isGeneral] of [
    [401, true],
    [403, true],
    [422, false],
    [500, true],
    [503, true],
  ] as const) {
    status = code;
    t.strictSame(await failureOf(url), failed(`PowerDNS responded with ${code}`, isGeneral));
  }
  status = 200;
  t.strictSame(await failureOf(url), failed('PowerDNS responded with something else than JSON'));
  t.strictSame(
    await failureOf(`http://127.0.0.1:${await freePort()}`),
    failed('PowerDNS could not be called (ECONNREFUSED)'),
  );
});
