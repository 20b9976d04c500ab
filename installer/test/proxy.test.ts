/**
 * On a machine behind a proxy, an install sends every request through it, except those to the box.
 */
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import t from 'tap';
import { scope } from '../vendor.ts';
import { key, makeBox } from './support/box.ts';
import { makeRuntime } from './support/packages.ts';
import { startVendor } from './support/vendor.ts';

const vendor = await startVendor([makeRuntime()], { [key]: { tier: 'basic', packages: [`${scope}/runtime`] } });
t.teardown(() => vendor.close());

t.test('requests to the control plane and the registry honour HTTP_PROXY', async (t) => {
  const reached = new Set<string>();
  const proxy = createServer((incoming: IncomingMessage, outgoing) => {
    const { host, port, pathname } = new URL(incoming.url ?? '');
    reached.add(host);
    const { method, headers } = incoming;
    incoming.pipe(
      request({ host: '127.0.0.1', port, path: pathname, method, headers }, (response) => response.pipe(outgoing)),
    );
  });
  proxy.on('connect', (incoming: IncomingMessage, socket) => {
    reached.add(incoming.url ?? '');
    const onward = connect(Number(incoming.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  t.teardown(() => proxy.closeAllConnections());

  const box = await makeBox(t, vendor);
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const { exitCode, stderr } = await box.install([], { HTTP_PROXY: address, http_proxy: address });
  t.equal(exitCode, 0, stderr);
  t.same([...reached].sort(), [new URL(vendor.controlPlaneUrl).host, new URL(vendor.registryUrl).host].sort());
});
