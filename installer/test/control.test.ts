/**
 * The control socket of a supervisor: no command ends it, however the command itself ends.
 */
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@carton/runtime/testing';
import t from 'tap';
import { type Request, serveControl } from '../box/control.ts';
import { connectTo } from '../box/control-socket.ts';
import { boxFolder } from '../box/folder.ts';

const home = await temporaryFolder('control-');
const folder = boxFolder(join(home, 'box'));
await mkdir(folder.run, { recursive: true });
t.teardown(() => rm(home, { recursive: true }));

const requests: Request[] = [];
let ended = 0;
let onEnded = () => {};
const close = await serveControl(folder, (session) => {
  session.onRequest((request) => {
    requests.push(request);
    session.answer({ answer: 'restartsIt' });
  });
  session.onEnd(() => {
    ended++;
    onEnded();
  });
});
t.teardown(close);

/** Connects as a command, and waits until the supervisor has seen its end. */
async function command(send: string, { unread }: { unread: boolean }): Promise<void> {
  const socket = await connectTo(folder);
  if (!socket) throw new Error('nobody listens');
  socket.on('error', () => undefined);
  const end = new Promise<void>((resolve) => (onEnded = resolve));
  socket.pause();
  socket.write(send);
  // With something unread, the other side of the connection gets an error instead of its end.
  if (unread) while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  socket.destroy();
  await once(socket, 'close');
  await end;
}

t.test('a command that is killed before it reads the answer', async (t) => {
  await command('{"request":"healthy"}\n', { unread: true });
  t.strictSame(requests.splice(0), [{ request: 'healthy' }]);
  t.equal(ended, 1);
});

t.test('a command that is killed in the middle of a line, and lines that are no requests', async (t) => {
  for (const line of ['{"request":"switch","launch":{"rel', 'x\n', 'null\n', '1\n', '\n']) {
    await command(line, { unread: false });
    t.strictSame(requests.splice(0), [], line);
  }
});

t.test('the next command is answered', async (t) => {
  const socket = await connectTo(folder);
  t.ok(socket);
  socket?.write('{"request":"healthy"}\n');
  const [answer] = await once(socket as NonNullable<typeof socket>, 'data');
  t.equal(String(answer), '{"answer":"restartsIt"}\n');
  socket?.destroy();
});
