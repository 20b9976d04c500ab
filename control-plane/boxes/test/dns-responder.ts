/**
 * A small DNS server (RFC 1035) over UDP for tests, with a prepared response for each name.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Test } from 'tap';

/** The response for a name: its nameservers, or how the lookup fails. */
export type DnsResponse = string[] | 'no such name' | 'no data' | 'server failure' | 'refused' | 'silence';

const codes = { 'no such name': 3, 'no data': 0, 'server failure': 2, refused: 5 };

/** Starts a server that stops with the test. Names without a prepared response do not exist. */
export async function startResponder(t: Test, responses: Record<string, DnsResponse>) {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readQuestion(query);
    queries.push(name);
    const response = responses[name] ?? 'no such name';
    if (response === 'silence') return;
    socket.send(encodeResponse(query, end, response), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}

/** Reads the name in the question, and the offset of the question's end (section 4.1.2). */
function readQuestion(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let offset = 12;
  for (let length = query[offset] as number; length > 0; length = query[offset] as number) {
    labels.push(query.toString('latin1', offset + 1, offset + 1 + length));
    offset += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: offset + 5 };
}

function encodeResponse(query: Buffer, end: number, response: Exclude<DnsResponse, 'silence'>): Buffer {
  const hosts = typeof response === 'string' ? [] : response;
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response with recursion available, and its code (section 4.1.1).
  header.writeUInt16BE(0x8180 | (typeof response === 'string' ? codes[response] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hosts.length, 6);
  return Buffer.concat([header, query.subarray(12, end), ...hosts.map(nameserverRecord)]);
}

/** An NS record of the name in the question, with a lifetime of one minute (section 3.3.11). */
function nameserverRecord(host: string): Buffer {
  const parts = host.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label)]));
  const data = Buffer.concat([...parts, Buffer.of(0)]);
  const fixed = Buffer.from('c00c00020001', 'hex');
  const length = Buffer.alloc(6);
  length.writeUInt32BE(60, 0);
  length.writeUInt16BE(data.length, 4);
  return Buffer.concat([fixed, length, data]);
}
