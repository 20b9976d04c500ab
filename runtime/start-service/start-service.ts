/**
 * Starting and stopping a service, a box or the control plane: operations, resources, API, listening; on stop in
 * reverse.
 */
import { type Logger, pino } from 'pino';
import { listenOn, type RunningServer } from '../http/server.ts';
import { type Operations, startOperations } from '../operations/operations.ts';
import type { TracingSettings } from '../operations/tracing/settings.ts';
import { gatherMetrics } from '../workers/metrics.ts';
import type { Workers } from '../workers/workers.ts';
import { type Api, type ApiDescription, createApi } from './service-api.ts';

/** The addresses of a service whose supervisor holds its socket, so that another process can take its place. */
export interface Handover {
  /** Path of the Unix socket on which the service can be checked before it serves. */
  privatePath: string;
  /** The listening socket, a file descriptor that several processes share. */
  socket: number;
  /** Whether the service is only checked: it does no background work. */
  onlyChecked?: boolean;
}

export interface ServiceOptions {
  /** Version and tier of the build, the labels of a metric. */
  about: Record<string, string>;
  /** Milliseconds from which a statement is logged as slow; 0 for never. Default: 0. */
  slowQueries?: number;
  /** Without it there are no traces. */
  tracing?: TracingSettings | null;
  host: string;
  /** 0 for any free port. */
  port: number;
  /** With it, the service listens on its private path, and on the shared socket once `serve` is called. */
  handover?: Handover;
  /** The workers of which this process is one. */
  workers?: Workers;
  /** Default: no log. */
  log?: Logger;
}

/** What `open` of `startService` receives. */
export interface StartContext {
  log: Logger;
  operations: Operations;
  /** Registers a function that closes a resource, in reverse order, when the service stops or fails to start. */
  onClose(close: () => Promise<void>): void;
}

export interface OpenedService<Scope, Services extends object, Caller, Handle extends object> {
  /** Properties that `startService` adds to its result. */
  handle: Handle;
  api: ApiDescription<Scope, Services, Caller>;
  /** Called once the service listens, unless it is only checked. */
  onListening?(): void;
  /** Called when another process takes the place of the service, which only completes its requests from then on. */
  onRetiring?(): Promise<void>;
}

export interface RunningApi<Services> extends Omit<Api<Services>, 'app'> {
  url: string;
  /** With `handover`: begins to listen on the shared socket. */
  serve(): Promise<void>;
  /**
   * With `handover`: stops accepting connections and background work, since another process serves the shared socket.
   * Resolves when the last connection is closed.
   */
  retire(): Promise<void>;
  /** Makes `/health` report that the service will stop, and continues to serve. */
  drain(): void;
  /** Completes the requests in progress, then closes the resources. */
  stop(): Promise<void>;
}

/**
 * Starts a service.
 * @param open opens the service's resources and describes its API
 * @throws Error with one line about the cause, after the resources are closed
 */
export async function startService<Scope, Services extends object, Caller, Handle extends object>(
  options: ServiceOptions,
  open: (context: StartContext) => Promise<OpenedService<Scope, Services, Caller, Handle>>,
): Promise<Handle & RunningApi<Services>> {
  const { log = pino({ level: 'silent' }), about, slowQueries, tracing, handover, workers, host, port } = options;
  const operations = await startOperations({
    log,
    about,
    slowQueries,
    tracing,
    ...(workers && { gather: (own) => gatherMetrics(workers, own) }),
  });
  const closers = [operations.stop];
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const opened = await open({ log, operations, onClose: (close) => closers.push(close) });
    const { app, ...served } = await createApi(opened.api, { log, operations });
    const servers: RunningServer[] = [];
    const forAll = (act: (server: RunningServer) => unknown) => Promise.all(servers.map(act));
    const running: Handle & RunningApi<Services> = {
      ...opened.handle,
      ...served,
      url: '',
      async serve() {
        const server = await listenOn(app, handover ? { fd: handover.socket } : { host, port });
        servers.push(server);
        running.url = server.url;
        if (!handover?.onlyChecked) opened.onListening?.();
        log.info({ url: server.url, ...about, routes: served.routes.length }, 'listening');
      },
      async retire() {
        log.info('retiring: another process serves');
        await Promise.all([opened.onRetiring?.(), forAll((server) => server.retire())]);
      },
      drain() {
        operations.draining = true;
        void forAll((server) => server.drain());
      },
      async stop() {
        running.drain();
        await forAll((server) => server.stop());
        await closeAll();
      },
    };
    if (handover) servers.push(await listenOn(app, { path: handover.privatePath }));
    else await running.serve();
    return running;
  } catch (error) {
    await closeAll();
    throw error;
  }
}
