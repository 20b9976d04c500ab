/**
 * A DNS server (RFC 1035) for the proxy alone: it knows the names of backends, with the addresses that were checked. The
 * proxy connects to names through it, so it can reach no other address, TLS verifies the name, and connections of
 * different names are never shared.
 */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet } from 'dns-packet';

export interface NameServer {
  /** `127.0.0.1:4153` */
  address: string;
  stop(): Promise<void>;
}

/** Seconds: the proxy asks for each connection. */
const ttl = 0;
const noSuchName = 3;

/** @param addressesOf the addresses of a name in lower case without a trailing dot; none if it does not exist */
export async function startNameServer(
  addressesOf: (name: string) => readonly string[],
  host: string,
  port: number,
): Promise<NameServer> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.on('message', (message, { address, port: sender }) => {
    const answer = answerTo(message, addressesOf);
    if (answer) socket.send(answer, sender, address);
  });
  socket.bind(port, host);
  await once(socket, 'listening');
  socket.on('error', () => {});
  return {
    address: `${host}:${socket.address().port}`,
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Null for a message that is no query. */
function answerTo(message: Buffer, addressesOf: (name: string) => readonly string[]): Buffer | null {
  let query: Packet;
  try {
    query = decode(message);
  } catch {
    return null;
  }
  const [question] = query.questions ?? [];
  if (query.type !== 'query' || !question) return null;
  const { name, type } = question;
  const addresses = addressesOf(name.toLowerCase().replace(/\.$/, ''));
  const wanted = addresses.filter((address) => type === (isIPv6(address) ? 'AAAA' : 'A'));
  return encode({
    type: 'response',
    id: query.id as number,
    flags: AUTHORITATIVE_ANSWER | (addresses.length === 0 ? noSuchName : 0),
    questions: [question],
    answers: wanted.map((data) => ({ name, type: type as 'A' | 'AAAA', ttl, data })),
  });
}
