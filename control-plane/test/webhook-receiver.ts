/**
 * A receiver of webhooks for tests: a real HTTP server on loopback that verifies signatures by itself, as the specification
 * of Standard Webhooks has it, and records what it gets.
 */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export interface Received {
  id: string;
  type: string;
  resourceId: string;
  payload: Record<string, unknown>;
  /** Positions of the secrets, of those known to the receiver, whose signature is right. */
  signedBy: number[];
  headers: IncomingMessage['headers'];
  path: string;
}

export type Responder = (response: ServerResponse, received: Received) => void;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/**
 * Starts a receiver that stops with the test. `secrets` and `respond` may be changed.
 * @param tls its certificate and key, in PEM; without them, it speaks HTTP
 */
export async function startReceiver(t: Test, port = 0, tls?: { cert: string; key: string }) {
  const receiver = {
    url: '',
    port: 0,
    secrets: [] as string[],
    received: [] as Received[],
    respond: ((response) => response.end('thank you')) as Responder,
    /** The types received for a resource, in their order. */
    typesOf: (resourceId: string) =>
      receiver.received.filter((each) => each.resourceId === resourceId).map(({ type }) => type),
  };
  const onRequest = async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const event = JSON.parse(body);
    const received = {
      id: event.id,
      type: event.type,
      resourceId: event.resource.id,
      payload: event.payload,
      signedBy: receiver.secrets.flatMap((secret, position) => (isSigned(request, body, secret) ? position : [])),
      headers: request.headers,
      path: request.url as string,
    };
    receiver.received.push(received);
    receiver.respond(response, received);
  };
  const server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  receiver.port = (server.address() as AddressInfo).port;
  receiver.url = `http://127.0.0.1:${receiver.port}/hook`;
  return receiver;
}

function isSigned({ headers }: IncomingMessage, body: string, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (Math.abs(Number(timestamp) - Date.now() / 1000) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return String(signatures).split(' ').includes(`v1,${expected}`);
}

/** Waits until a condition holds; fails the test after twenty seconds. */
export async function until(t: Test, what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`still not so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.pass(what);
}
