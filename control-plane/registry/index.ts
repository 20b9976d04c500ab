// Starts the gated registry: Verdaccio behind the gate, with its download reports and its signing keys.

import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { runServer } from 'verdaccio';
import { openCatalogue } from './catalogue.ts';
import { startDelivery } from './delivery.ts';
import { createDownloads } from './downloads.ts';
import { createGate, type Gate, orRefusal } from './gate.ts';
import { GatePlugin, type GatePluginOptions } from './gate-plugin.ts';
import { type Log, logToStandardOutput } from './log.ts';
import { openOutbox } from './outbox.ts';
import { publisherOnly, publishSecretWrong, Refusal, sendRefusal } from './refusal.ts';
import { loggedPath } from './request-target.ts';
import { openSigningKeys } from './signing-keys.ts';
import { verdaccioConfiguration } from './verdaccio-configuration.ts';

export type { DownloadReport } from './outbox.ts';

export type RegistryOptions = {
  /** 0 takes any free port. */
  port: number;
  host: string;
  /** Folder for packages, signing keys and download reports; made when it is missing. */
  storage: string;
  /** Address under which customers reach the registry, and audience of their tokens. Default: `http://host:port`. */
  publicUrl?: string;
  controlPlaneUrl: string;
  /** Bearer secret for the control plane's download reports. */
  registrySecret: string;
  /** Bearer secret that alone publishes, and reads everything. */
  publishSecret: string;
  log?: Log;
  /** Milliseconds that only ever grow; a test passes its own to let time go by. */
  elapsed?: () => number;
};

export type Registry = {
  /** The public URL, without a slash at its end. */
  url: string;
  /** Where it listens, for those on the same machine. */
  localUrl: string;
  /** Takes no new requests, lets those under way end for up to 10 s, and keeps what was not yet reported. */
  stop(): Promise<void>;
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const drainTimeout = 10_000;

/**
 * Starts the registry and resolves once it serves. Rejects when the port is taken (`EADDRINUSE`), the storage cannot be
 * written or the gate does not stand in Verdaccio. The control plane need not be there.
 */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { log = logToStandardOutput, elapsed = () => performance.now() } = options;
  const storage = resolve(options.storage);
  const packages = join(storage, 'packages');
  await mkdir(packages, { recursive: true });

  let serve: Serve = (request, response) => {
    request.resume();
    sendRefusal(response, new Refusal(503, 'starting', 'The registry is starting: try again in a moment'));
  };
  const server = createServer((request, response) => serve(request, response));
  await listen(server, options.port, options.host);
  try {
    const { port } = server.address() as AddressInfo;
    const localUrl = `http://${options.host}:${port}`;
    const url = (options.publicUrl ?? localUrl).replace(/\/+$/, '');
    const controlPlane = options.controlPlaneUrl.replace(/\/+$/, '');

    let wakeDelivery = () => {};
    const outbox = await openOutbox(join(storage, 'reports'), () => wakeDelivery());
    const downloads = createDownloads(outbox, elapsed, log);
    const keys = await openSigningKeys({
      keysUrl: `${controlPlane}/.well-known/jwks.json`,
      cacheFile: join(storage, 'signing-keys.json'),
      elapsed,
      log,
    });
    const gate = createGate({
      publishSecret: options.publishSecret,
      tokens: { keys, publicUrl: url },
      catalogue: openCatalogue(packages),
      downloads,
      log,
    });
    const verdaccio = await startVerdaccio(gate, log, packages, url);
    const delivery = startDelivery({
      outbox,
      reportUrl: `${controlPlane}/telemetry/download`,
      registrySecret: options.registrySecret,
      log,
    });
    wakeDelivery = delivery.wake;
    serve = serveThrough(gate, verdaccio, url, log);

    return {
      url,
      localUrl,
      async stop() {
        await close(server);
        await downloads.settle();
        await delivery.stop();
      },
    };
  } catch (error) {
    await close(server);
    throw error;
  }
}

/** Makes Verdaccio's server, which never listens itself. Rejects when Verdaccio did not take the gate in. */
async function startVerdaccio(gate: Gate, log: Log, packages: string, url: string): Promise<Server> {
  let isGated = false;
  const plugin: GatePluginOptions = {
    connect() {
      isGated = true;
      return new GatePlugin(gate, log);
    },
  };
  const verdaccio: Server = await runServer(verdaccioConfiguration(packages, new URL(url).pathname, plugin));
  if (!isGated) throw new Error('Verdaccio did not load the gate plugin');
  return verdaccio;
}

/** What happens to each request before Verdaccio has it: the log line, the public address, no strangers' bodies. */
function serveThrough(gate: Gate, verdaccio: Server, url: string, log: Log): Serve {
  const { host, protocol } = new URL(url);
  return async (request, response) => {
    const { method } = request;
    const path = loggedPath(request.url ?? '');
    const start = performance.now();
    response.once('close', () => {
      const caller = (request as { remote_user?: { name?: string } }).remote_user?.name;
      const milliseconds = Math.round(performance.now() - start);
      log('info', 'request', { method, path, status: response.statusCode, caller, milliseconds });
    });
    // Verdaccio writes tarball addresses from these headers: they stand under the public URL whatever a client claims.
    request.headers.host = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    // Verdaccio reads a whole body before it asks who sent it: let it read the publisher's alone.
    if (hasBody(request)) {
      const refusal = await orRefusal(refuseUnlessPublisher(gate, request), log);
      if (refusal !== undefined) {
        request.resume();
        response.setHeader('Connection', 'close');
        return sendRefusal(response, refusal);
      }
    }
    verdaccio.emit('request', request, response);
  };
}

/** Returns why a request with a body is turned away, or nothing when the publisher sent it. */
async function refuseUnlessPublisher(gate: Gate, request: IncomingMessage): Promise<Refusal | undefined> {
  const caller = await gate.identify(request).catch((error: unknown) => {
    throw error instanceof Refusal && error.code === 'token_invalid' ? publishSecretWrong() : error;
  });
  return caller.kind === 'publisher' ? undefined : publisherOnly();
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), drainTimeout);
  await closed;
  clearTimeout(timer);
}
