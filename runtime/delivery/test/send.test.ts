/**
 * One request: to which addresses it goes, how long it takes at most, and what is kept of the response.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { attemptOf, errorText } from '../attempt.ts';
import type { CheckUrl } from '../lookups.ts';
import { send } from '../send.ts';

/** Starts a server on loopback that counts its requests. */
async function serve(t: Test, respond: RequestListener) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url as string);
    respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

const post = (
  url: string,
  more: { checkUrl?: CheckUrl; stop?: AbortSignal; timeout?: number; mostRead?: number } = {},
) =>
  send(
    { url, headers: { 'x-secret': 'a secret' }, body: '{}' },
    { stop: new AbortController().signal, timeout: 2_000, ...more },
  );
const leadsTo =
  (...addresses: string[]): CheckUrl =>
  async () => ({ state: 'allowed', addresses, fault: null });

t.test('a name that leads to loopback when the connection is made leads to the address that was checked', async (t) => {
  const { port, requests } = await serve(t, (_, response) => response.end());
  // For TCP, an address of documentation (RFC 5737) has nobody.
  const sent = await post(`http://localhost:${port}/`, { checkUrl: leadsTo('192.0.2.1'), timeout: 500 });
  t.match(sent, { status: null, error: /^(no response within|the request failed)/ });
  t.strictSame(requests, [], 'loopback gets nothing');
  const again = await post(`http://nobody.invalid:${port}/`, { checkUrl: leadsTo('127.0.0.1') });
  t.match(again, { status: 200 }, 'it is no matter where the name leads to');
});

t.test('a URL that may not be used is not', async (t) => {
  const { port, requests } = await serve(t, (_, response) => response.end());
  const verdicts = {
    forbidden: 'the URL must not',
    unresolved: 'the host does not exist',
    unknown: 'the host could not be looked up',
  } as const;
  for (const [state, error] of Object.entries(verdicts)) {
    const checkUrl = async () => ({ state: state as 'forbidden', addresses: ['127.0.0.1'], fault: 'must not' });
    t.match(await post(`http://localhost:${port}/`, { checkUrl }), { status: null, error, body: null });
  }
  t.strictSame(requests, []);
});

t.test('a redirect is an answer and is not followed', async (t) => {
  const { port, requests } = await serve(t, (_, response) => response.writeHead(308, { location: '/other' }).end());
  t.match(await post(`http://127.0.0.1:${port}/first`), { status: 308, error: null });
  t.strictSame(requests, ['/first']);
});

t.test('a destination that hangs has its time; one that is stopped leaves nothing', async (t) => {
  const { port, requests } = await serve(t, () => {});
  const url = `http://127.0.0.1:${port}/`;
  const sent = await post(url, { timeout: 200 });
  t.match(sent, { status: null, error: 'no response within 0.2 seconds', body: null });
  t.ok(sent && sent.milliseconds >= 190 && sent.milliseconds < 1_900, `${sent?.milliseconds} ms`);
  const stopping = new AbortController();
  const aborted = post(url, { stop: stopping.signal });
  while (requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  stopping.abort();
  t.equal(await aborted, null);
});

t.test('a long response is read in part, and kept in part without what cannot be stored', async (t) => {
  const { port } = await serve(t, (_, response) => {
    response.writeHead(429, { 'retry-after': '30', 'content-length': 1_000_000 });
    response.write(`no\u0000${'x'.repeat(20_000)}`);
  });
  const sent = await post(`http://127.0.0.1:${port}/`);
  t.match(sent, { status: 429, retryAfter: 30, error: null });
  const attempt = attemptOf(sent as NonNullable<typeof sent>);
  t.strictSame(Object.keys(attempt), ['status', 'error', 'responseStart', 'milliseconds']);
  t.equal(attempt.responseStart, `no ${'x'.repeat(253)}`);
  t.notOk(JSON.stringify(attempt).includes('a secret'));
  const whole = await post(`http://127.0.0.1:${port}/`, { mostRead: 20_003 });
  t.equal(whole?.body?.length, 20_003);
});

t.test('errors are shortened to what can be stored', (t) => {
  t.equal(errorText(new Error(`a\u0000b\n${'x'.repeat(5_000)}`)).length, 1_000);
  t.equal(errorText(new Error('a\u0000b\nc')), 'a b c');
  t.equal(errorText('no error'), 'no error');
  t.equal(errorText(new Error(`${'x'.repeat(999)}\u{1f600}`)).isWellFormed(), true, 'no half of a character');
  t.end();
});
