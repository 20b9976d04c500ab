import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';

t.test('a thread is started', async (t) => {
  const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
  await once(thread, 'online');
  t.ok(thread.threadId);
});
