/**
 * A small DNS server (RFC 1035) over UDP for tests, with a prepared response for each name.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** The records of a name, by type. A list alone has its nameservers. */
interface Records {
  ns?: string[];
  txt?: string[];
  a?: string[];
}

/** The response for a name: its records, or how the lookup fails. */
export type DnsResponse = string[] | Records | 'no such name' | 'no data' | 'server failure' | 'refused' | 'silence';

const codes = { 'no such name': 3, 'no data': 0, 'server failure': 2, refused: 5 };
const types: Record<number, keyof Records> = { 1: 'a', 2: 'ns', 16: 'txt' };

/**
 * Starts a server that stops with the test. Names without a prepared response do not exist. `responses` may be changed.
 * @param port default: a free one
 */
export async function startResponder(
  t: { teardown(task: () => Promise<void>): unknown },
  responses: Record<string, DnsResponse>,
  port = 0,
) {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, client) => {
    const { name, end } = readQuestion(query);
    queries.push(name);
    const response = responses[name] ?? 'no such name';
    if (response === 'silence') return;
    socket.send(encodeResponse(query, end, response), client.port, client.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(async () => void socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries, responses };
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
  const type = query.readUInt16BE(end - 4);
  const records = typeof response === 'string' ? {} : Array.isArray(response) ? { ns: response } : response;
  const kind = types[type];
  const values = (kind && records[kind]) ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // A response with recursion available, and its code (section 4.1.1).
  header.writeUInt16BE(0x8180 | (typeof response === 'string' ? codes[response] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(values.length, 6);
  return Buffer.concat([header, query.subarray(12, end), ...values.map((value) => record(type, dataOf(type, value)))]);
}

/** A record of the name in the question, with a lifetime of one minute (section 3.2.1). */
function record(type: number, data: Buffer): Buffer {
  const fixed = Buffer.from('c00c0000000100000000', 'hex');
  fixed.writeUInt16BE(type, 2);
  fixed.writeUInt32BE(60, 6);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  return Buffer.concat([fixed, length, data]);
}

/** The data of an A, NS or TXT record (section 3.3). */
function dataOf(type: number, value: string): Buffer {
  const kind = types[type];
  if (kind === 'a') return Buffer.from(value.split('.').map(Number));
  const parts = kind === 'ns' ? value.split('.') : [value];
  const strings = parts.map((part) => Buffer.concat([Buffer.of(part.length), Buffer.from(part)]));
  return Buffer.concat([...strings, ...(kind === 'ns' ? [Buffer.of(0)] : [])]);
}
