/**
 * A small DNS server (RFC 1035) over UDP for tests: it says about each name what it was told to say.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Test } from 'tap';

/** What is said about a name: its nameservers, or one of the ways in which there are none. */
export type Say = string[] | 'no such name' | 'no data' | 'server failure' | 'refused' | 'silence';

const codes = { 'no such name': 3, 'no data': 0, 'server failure': 2, refused: 5 };

/** Starts a server that stops with the test. Names it was told nothing about do not exist. */
export async function startResponder(t: Test, says: Record<string, Say>) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readQuestion(query);
    asked.push(name);
    const say = says[name] ?? 'no such name';
    if (say === 'silence') return;
    socket.send(answer(query, end, say), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, asked };
}

/** The name asked about, and where its question ends (section 4.1.2). */
function readQuestion(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let place = 12;
  for (let length = query[place] as number; length > 0; length = query[place] as number) {
    labels.push(query.toString('latin1', place + 1, place + 1 + length));
    place += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: place + 5 };
}

function answer(query: Buffer, end: number, say: Exclude<Say, 'silence'>): Buffer {
  const hosts = typeof say === 'string' ? [] : say;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // An answer, recursion available, with its code (section 4.1.1).
  header.writeUInt16BE(0x8180 | (typeof say === 'string' ? codes[say] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hosts.length, 6);
  return Buffer.concat([header, query.subarray(12, end), ...hosts.map(nameserverRecord)]);
}

/** An NS record of the name in the question, for one minute (section 3.3.11). */
function nameserverRecord(host: string): Buffer {
  const parts = host.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  const data = Buffer.concat([...parts, Buffer.of(0)]);
  const fixed = Buffer.from('c00c00020001', 'hex');
  const length = Buffer.alloc(6);
  length.writeUInt32BE(60, 0);
  length.writeUInt16BE(data.length, 4);
  return Buffer.concat([fixed, length, data]);
}
