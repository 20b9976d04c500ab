import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

t.test('a server of a UNIX socket is started', async (t) => {
  const path = join(tmpdir(), `left-${process.pid}.sock`);
  const server = createServer().listen(path);
  await once(server, 'listening');
  rmSync(path);
  t.ok(server.listening);
});
