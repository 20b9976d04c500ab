// Requests whose host is not clear: 400, as from a box and the control plane, whatever else they have.

import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { openRegistry, publish } from '../testing/index.ts';

const { registry, tokenOf } = await openRegistry(t);
await publish(t, registry, { name: '@carton/cart', version: '1.2.0', carton: { tier: 'basic' } });
const { hostname, port } = new URL(registry.localUrl);

/** The status, and the code of a refusal. */
async function answerTo(start: string, ...headers: string[]): Promise<[status: number, code: string | undefined]> {
  const socket = connect(Number(port), hostname);
  const lines = [start, ...headers, 'Connection: close', '', ''];
  socket.write(lines.join('\r\n'));
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(socket, 'close');
  return [Number(text.split(' ', 2)[1]), /"code":"(\w+)"/.exec(text)?.[1]];
}

t.test('two hosts, an invalid one, or none are 400, with and without a credential', async (t) => {
  const credential = `Authorization: Bearer ${await tokenOf()}`;
  const unclear = [
    ['Host: registry.example', 'Host: registry.example'],
    ['Host: registry.example', 'Accept: */*', 'host: other.example'],
    ['Host: registry.example/path'],
    ['Host: registry.example, other.example'],
    ['Host: user@registry.example'],
    [`Host: ${'a'.repeat(300)}`],
  ];
  for (const path of ['/@carton/cart', '/@carton/cart/-/cart-1.2.0.tgz', '/-/ping', '/metrics', '/nowhere'])
    for (const headers of unclear)
      for (const more of [[], [credential]])
        t.strictSame(
          await answerTo(`GET ${path} HTTP/1.1`, ...headers, ...more),
          [400, 'host_invalid'],
          headers.join(),
        );
  t.equal((await answerTo('GET /@carton/cart HTTP/1.1'))[0], 400, 'Node.js answers itself where there is none');
});

t.test('one host is served as before, whatever its name', async (t) => {
  const credential = `Authorization: Bearer ${await tokenOf()}`;
  for (const host of [
    'Host: registry.example',
    'Host: 127.0.0.1:4873',
    'Host: [::1]:4873',
    'Host: my_registry',
    'Host:',
  ])
    t.strictSame(await answerTo('GET /@carton/cart HTTP/1.1', host, credential), [200, undefined], host);
  t.strictSame(await answerTo('GET /@carton/cart HTTP/1.0', credential), [200, undefined], 'HTTP/1.0 without one');
  t.strictSame(await answerTo('GET /@carton/cart HTTP/1.1', 'Host: registry.example'), [401, 'token_missing']);
});
