// Starts the gated registry: Verdaccio behind the gate, with download reports and cached signing keys.

import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { runServer } from 'verdaccio';
import { startDelivery } from './delivery.ts';
import { createDownloadReporter } from './downloads.ts';
import { catchRefusal, createGate, type Gate } from './gate.ts';
import { GatePlugin } from './gate-plugin.ts';
import { createLimits, defaultLimits, type LimitSettings, type TrustedProxy } from './limits.ts';
import { type Log, logToStandardOutput } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { openOutbox } from './outbox.ts';
import { createOwnAnswers } from './own-answers.ts';
import { openPackuments, type Packuments } from './packages/packuments.ts';
import { createPublisher } from './packages/publisher.ts';
import { VerdaccioStorage } from './packages/verdaccio-storage.ts';
import { publisherOnly, publishSecretWrong, Refusal, refusalCode, sendRefusal } from './refusal.ts';
import { refusalOfHost } from './request-host.ts';
import { parseTarget, redactPath } from './request-target.ts';
import type { Secret } from './secrets.ts';
import { openPackageKeys } from './signatures/package-keys.ts';
import { createProvenanceServer } from './signatures/provenance.ts';
import { openSigningKeys } from './signing-keys.ts';
import { openFolder } from './storage/folder.ts';
import type { BucketSettings } from './storage/location.ts';
import { homeOf } from './storage/settings.ts';
import type { Storage } from './storage/storage.ts';
import { createTarballServer } from './tarballs.ts';
import { type Plugins, verdaccioConfiguration } from './verdaccio-configuration.ts';
import { followWithdrawals } from './withdrawals.ts';

export type { DownloadReport } from './outbox.ts';

export type RegistryOptions = {
  /** 0 for any free port. */
  port: number;
  host: string;
  /** Where packages are: a folder, which is created if it is missing, or a bucket. */
  storage: string | BucketSettings;
  /** Folder of download reports, signing keys and other caches, of one process. Default: that of the storage. */
  home?: string | undefined;
  /** URL that customers use, and audience of their tokens. Default: `http://host:port`. */
  publicUrl?: string;
  controlPlaneUrl: string;
  /** Bearer secret for the control plane's download reports. */
  registrySecret: Secret;
  /** Bearer secret of the publisher. */
  publishSecret: Secret;
  /** File of the public keys with which published versions must be signed; without it, they need no signature. */
  packageKeysFile?: string | undefined;
  /** Bearer secret for `/metrics`; without it, there are none. */
  metricsSecret?: Secret | undefined;
  /** Proxies whose X-Forwarded-For is trusted. Default: none. */
  trustedProxy?: TrustedProxy;
  limits?: LimitSettings;
  log?: Log;
  /** Milliseconds of a monotonic clock; tests pass their own. */
  elapsed?: () => number;
  /** Milliseconds between two reads of the withdrawn licences. */
  withdrawalInterval?: number;
};

export type Registry = {
  /** The public URL, without a trailing slash. */
  url: string;
  /** The URL it listens at, for clients on the same machine. */
  localUrl: string;
  /** Stops accepting requests and waits up to 10 s for those in flight. Undelivered reports stay on disk. */
  stop(): Promise<void>;
};

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const drainTimeout = 10_000;

/** Milliseconds after which changes of other registries to a packument in a bucket are seen. */
const bucketFreshness = 2000;

/**
 * Starts the registry and resolves once it serves requests. The control plane does not need to be available.
 * @throws Error if the port is in use (`EADDRINUSE`), the storage cannot be used, the file of keys is unreadable, or
 * Verdaccio did not load the gate
 */
export async function startRegistry(options: RegistryOptions): Promise<Registry> {
  const { log = logToStandardOutput, elapsed = () => performance.now() } = options;
  const folder = homeOf(options.home, options.storage);
  await mkdir(folder, { recursive: true });
  const packageKeys = options.packageKeysFile ? await openPackageKeys(options.packageKeysFile) : undefined;

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
    const outbox = await openOutbox(join(folder, 'reports'), () => wakeDelivery());
    const downloads = createDownloadReporter(outbox, elapsed, log, (outcome) => metrics.countDownload(outcome));
    const keys = await openSigningKeys({
      keysUrl: `${controlPlane}/.well-known/jwks.json`,
      cacheFile: join(folder, 'signing-keys.json'),
      elapsed,
      log,
    });
    const withdrawals = await followWithdrawals({
      url: `${controlPlane}/license/withdrawals`,
      registrySecret: options.registrySecret,
      cacheFile: join(folder, 'withdrawals.json'),
      interval: options.withdrawalInterval,
      log,
    });
    const metrics = createMetrics({
      backlog: outbox.backlog,
      withdrawalsAge: withdrawals.age,
      signingKeysAge: keys.age,
    });
    const { storage: location } = options;
    const storage =
      typeof location === 'string'
        ? openFolder(resolve(location), { log, onFault: metrics.countStorageFault })
        : await openCheckedBucket(location, log, metrics);
    const freshness = typeof location === 'string' ? 0 : bucketFreshness;
    const packuments = openPackuments({ storage, freshness, elapsed, onConflict: metrics.countConflict });
    const { trustedProxy = () => false } = options;
    const limits = createLimits(options.limits ?? defaultLimits, trustedProxy, elapsed);
    const gate = createGate({
      publishSecret: options.publishSecret,
      tokens: { keys, publicUrl: url },
      withdrawals,
      limits,
      catalogue: packuments,
      downloads,
      packageKeys,
      log,
      onRefused: metrics.countCredential,
    });
    const verdaccio = await createVerdaccio({ gate, packuments, log, folder, url });
    const delivery = startDelivery({
      outbox,
      controlPlaneUrl: controlPlane,
      registrySecret: options.registrySecret,
      log,
      elapsed,
    });
    wakeDelivery = delivery.wake;
    const catalogue = packuments;
    const tarballs = createTarballServer({ storage, catalogue, downloads, log, onServed: metrics.addTarballBytes });
    const ownAnswers = createOwnAnswers({
      gate,
      limits,
      tarballs,
      publisher: createPublisher({ gate, packuments, storage }),
      provenance: createProvenanceServer({ storage, catalogue, keys: packageKeys }),
      packageKeys,
      metrics,
      metricsSecret: options.metricsSecret,
    });
    serve = createHandler({ gate, ownAnswers, verdaccio, metrics, url, log });

    return {
      url,
      localUrl,
      async stop() {
        await close(server);
        await Promise.all([keys.stop(), withdrawals.stop()]);
        await downloads.flush();
        await delivery.stop();
        await storage.close();
      },
    };
  } catch (error) {
    await close(server);
    throw error;
  }
}

/** Loads Amazon's client only for a bucket, since it is large. */
async function openCheckedBucket(settings: BucketSettings, log: Log, metrics: Metrics): Promise<Storage> {
  const [{ openBucket }, { checkBucket }] = await Promise.all([
    import('./storage/bucket.ts'),
    import('./storage/bucket-check.ts'),
  ]);
  const storage = openBucket(settings, { log, onRequest: metrics.countBucketRequest });
  await checkBucket(storage);
  return storage;
}

type VerdaccioParts = { gate: Gate; packuments: Packuments; log: Log; folder: string; url: string };

/** Creates Verdaccio's server, which does not listen itself. Rejects if Verdaccio did not load the gate and the storage. */
async function createVerdaccio({ gate, packuments, log, folder, url }: VerdaccioParts): Promise<Server> {
  const loaded = new Set<string>();
  const plugins: Plugins = {
    gate: {
      connect() {
        loaded.add('gate');
        return new GatePlugin(gate, packuments, log);
      },
    },
    storage: {
      connect() {
        loaded.add('storage');
        return new VerdaccioStorage(packuments);
      },
    },
  };
  const verdaccio: Server = await runServer(verdaccioConfiguration(folder, new URL(url).pathname, plugins));
  for (const name of Object.keys(plugins)) {
    if (!loaded.has(name)) throw new Error(`Verdaccio did not load the ${name} plugin`);
  }
  return verdaccio;
}

type HandlerParts = {
  gate: Gate;
  ownAnswers: ReturnType<typeof createOwnAnswers>;
  verdaccio: Server;
  metrics: Metrics;
  url: string;
  log: Log;
};

/** Handles each request before Verdaccio: logs and counts it, sets its public URL, rejects bodies of other callers. */
function createHandler({ gate, ownAnswers, verdaccio, metrics, url, log }: HandlerParts): Serve {
  const { host, protocol } = new URL(url);
  return async (request, response) => {
    const { method = '' } = request;
    const path = redactPath(request.url ?? '');
    const target = parseTarget(method, request.url ?? '');
    const start = performance.now();
    response.once('close', () => {
      const caller = (request as { remote_user?: { name?: string } }).remote_user?.name;
      const code = refusalCode(response);
      const milliseconds = Math.round(performance.now() - start);
      metrics.countRequest(target.kind, response.statusCode, code);
      log('info', 'request', { method, path, status: response.statusCode, code, caller, milliseconds });
    });
    const unclear = refusalOfHost(request);
    if (unclear !== undefined) return sendRefusal(response, unclear);
    // Verdaccio builds tarball URLs from these headers: they must have the public URL, whatever the client sent.
    request.headers.host = host;
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    if (target.kind === 'packument') response.setHeader('Vary', 'Accept, Authorization');
    // Verdaccio reads a body before it authenticates the caller: only the publisher may send one. Those of audits are not
    // read at all.
    if (hasBody(request) && target.kind !== 'audit') {
      const refusal = await catchRefusal(rejectUnlessPublisher(gate, request), log);
      if (refusal !== undefined) {
        request.resume();
        response.setHeader('Connection', 'close');
        return sendRefusal(response, refusal);
      }
    }
    const answer = ownAnswers(target);
    if (answer === undefined) return void verdaccio.emit('request', request, response);
    const refusal = await catchRefusal(answer(request, response), log);
    if (refusal instanceof Refusal) sendRefusal(response, refusal);
  };
}

/** Returns undefined for a request of the publisher, and a Refusal for others. */
async function rejectUnlessPublisher(gate: Gate, request: IncomingMessage): Promise<Refusal | undefined> {
  const caller = await gate.authenticateCaller(request).catch((error: unknown) => {
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
