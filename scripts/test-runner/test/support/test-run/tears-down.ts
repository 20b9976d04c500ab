import { once } from 'node:events';
import { createServer } from 'node:http';
import t from 'tap';

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
t.teardown(() => void server.close());
t.test('a server for the file', async (t) => {
  t.ok(server.listening);
});
