import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import t from 'tap';

t.test('a UDP socket is opened', async (t) => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.ok(socket.address().port);
});
