/**
 * An HTTP server in front of the mirror, for clients that take a URL.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { WireRequest } from '@carton/runtime/testing/contract';
import type { Mirror } from './mirror.ts';

/** Headers of a connection, which has two ends here. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'expect']);

export interface MirrorServer {
  url: string;
  close(): Promise<void>;
}

export async function serveMirror(mirror: Mirror): Promise<MirrorServer> {
  const server = createServer((request, response) => {
    pass(mirror, request, response).catch((error: Error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pass(mirror: Mirror, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url = '/', headers } = request;
  const bytes = await buffer(request);
  const hasBody = bytes.length > 0 || headers['content-length'] !== undefined || 'transfer-encoding' in headers;
  const wireRequest: WireRequest = {
    method,
    path: url,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !ofConnection.has(name))
        .map(([name, value]) => [name, [value].flat().join(', ')]),
    ),
    ...(hasBody && { body: bytes }),
  };
  const answer = await mirror.send(wireRequest);
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...own } = answer.headers;
  response.writeHead(answer.status, own as Record<string, string>).end(answer.bytes);
}
