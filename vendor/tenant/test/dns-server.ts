/**
 * A small DNS server over UDP for tests: it says about each name what it was told to say, and counts what it was asked.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import type { Test } from 'tap';

/** The texts of a name's TXT records, each in parts as they may be written, or a failure instead of an answer. */
export type Say = string[][] | 'no such name' | 'server failure' | 'silence';

const failures = { 'no such name': 3, 'server failure': 2 };

/** Starts a server that stops with the test. Names it was told nothing about do not exist; `says` may be changed. */
export async function startDns(t: Test, says: Record<string, Say> = {}) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const query = decode(message);
    const name = query.questions?.[0]?.name.toLowerCase() ?? '';
    asked.push(name);
    const say = says[name] ?? 'no such name';
    if (say === 'silence') return;
    const failure = typeof say === 'string' ? failures[say] : 0;
    const answers = typeof say === 'string' ? [] : say.map((data) => ({ name, type: 'TXT', ttl: 60, data }) as const);
    const flags = 0x180 | failure;
    socket.send(encode({ type: 'response', id: query.id, flags, questions: query.questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked, says };
}
