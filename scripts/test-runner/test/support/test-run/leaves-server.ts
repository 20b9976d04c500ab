import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';

t.test('a server is started', async (t) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.ok(server.listening);
});
