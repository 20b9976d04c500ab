/**
 * Requests as bytes: paths, headers and framing that no HTTP client would send, and requests from chosen addresses.
 */
import { request } from 'node:http';
import { connect } from 'node:net';

export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of all shapes.
  body: any;
  text: string;
}

const patience = 30_000;

/**
 * Sends bytes and returns the answers that come until the server closes the connection.
 * @param isHead the answers have no bodies
 */
export async function sendBytes(port: number, ...parts: (string | Uint8Array)[]): Promise<WireAnswer[]> {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    });
    socket.setTimeout(patience, () => socket.destroy(new Error(`the connection is open after ${patience} ms`)));
    socket.on('data', (chunk) => chunks.push(chunk));
    // A reset after an answer is the end of the connection.
    socket.on('error', (error) => (chunks.length > 0 ? resolve(Buffer.concat(chunks)) : reject(error)));
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });
  return answersIn(received);
}

/** Splits what came into answers, by their Content-Length or chunks. */
function answersIn(received: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) break;
    const [first = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    rest = rest.subarray(end + 4);
    const { content, length } = bodyIn(rest, headers);
    rest = rest.subarray(length);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1]);
    answers.push({ status, headers, ...parsed(content, headers['content-type']) });
  }
  return answers;
}

function bodyIn(rest: Buffer, headers: Record<string, string>): { content: Buffer; length: number } {
  if (!/chunked/i.test(headers['transfer-encoding'] ?? '')) {
    const length = Math.min(Number(headers['content-length'] ?? rest.length), rest.length);
    return { content: rest.subarray(0, length), length };
  }
  const chunks: Buffer[] = [];
  let offset = 0;
  for (;;) {
    const end = rest.indexOf('\r\n', offset);
    const size = end === -1 ? 0 : Number.parseInt(rest.toString('latin1', offset, end), 16);
    if (!size) return { content: Buffer.concat(chunks), length: end === -1 ? rest.length : end + 4 };
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    offset = end + 2 + size + 2;
  }
}

export interface WireRequest {
  method?: string;
  /** As it is sent. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: unknown;
  /** The loopback address of the client. */
  from?: string;
}

/** Sends a request whose path and headers are sent as they are. */
export function send(
  port: number,
  { method = 'GET', path, headers = {}, body, from }: WireRequest,
): Promise<WireAnswer> {
  const content = body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const own = content && { 'content-type': 'application/json', 'content-length': String(content.length) };
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: { ...own, ...headers },
      localAddress: from,
      agent: false,
    });
    sent.on('error', reject).on('response', async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const found = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      const { 'content-type': type } = response.headers;
      resolve({
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(found),
        ...parsed(Buffer.concat(chunks), type),
      });
    });
    sent.end(content);
  });
}

function parsed(content: Buffer, type = ''): Pick<WireAnswer, 'body' | 'text'> {
  const text = content.toString('utf8');
  if (!/json/.test(type) || text === '') return { body: text, text };
  try {
    return { body: JSON.parse(text), text };
  } catch {
    return { body: text, text };
  }
}

/** An address that no other attack uses. */
export function newAddress(): string {
  const [one, two, three] = crypto.getRandomValues(new Uint8Array(3));
  return `10.${one}.${two}.${three}`;
}

/** A loopback address that no other attack uses. */
export function newLoopback(): string {
  return newAddress().replace(/^10/, '127');
}
