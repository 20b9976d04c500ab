/**
 * A small DNS server over UDP for tests, with configurable responses. It records the queried names.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import type { Test } from 'tap';

/** The TXT records of a name, each in one or more strings, or a failure. */
export type Outcome = string[][] | 'no such name' | 'server failure' | 'silence';

const failures = { 'no such name': 3, 'server failure': 2 };

/** Starts a server that stops with the test. Names without an outcome do not exist. `outcomes` may be changed. */
export async function startDns(t: Test, outcomes: Record<string, Outcome> = {}) {
  const queried: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const query = decode(message);
    const name = query.questions?.[0]?.name.toLowerCase() ?? '';
    queried.push(name);
    const outcome = outcomes[name] ?? 'no such name';
    if (outcome === 'silence') return;
    const failure = typeof outcome === 'string' ? failures[outcome] : 0;
    const answers =
      typeof outcome === 'string' ? [] : outcome.map((data) => ({ name, type: 'TXT', ttl: 60, data }) as const);
    const flags = 0x180 | failure;
    socket.send(encode({ type: 'response', id: query.id, flags, questions: query.questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queried, outcomes };
}
