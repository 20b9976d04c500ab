import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import t from 'tap';

t.test('what does not keep the process alive', async (t) => {
  const server = createServer().listen(`\0unreferenced-${process.pid}`);
  await once(server, 'listening');
  server.unref();
  const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
  await once(thread, 'online');
  thread.unref();
  t.ok(server.listening);
});
