/**
 * Starting and stopping a service, a box or the control plane: operations, resources, API, listening; on stop in
 * reverse.
 */
import { type Logger, pino } from 'pino';
import { listen } from '../http/server.ts';
import { type Operations, startOperations } from '../operations/operations.ts';
import type { TracingSettings } from '../operations/tracing/settings.ts';
import { type Api, type ApiDescription, createApi } from './api.ts';

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
  /** Called once the service listens. */
  onListening?(): void;
}

export interface RunningApi<Services> extends Omit<Api<Services>, 'app'> {
  url: string;
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
  const { log = pino({ level: 'silent' }), about, slowQueries, tracing } = options;
  const operations = await startOperations({ log, about, slowQueries, tracing });
  const closers = [operations.stop];
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const { handle, api, onListening } = await open({ log, operations, onClose: (close) => closers.push(close) });
    const { app, ...served } = await createApi(api, { log, operations });
    const server = await listen(app, options.host, options.port);
    onListening?.();
    log.info({ url: server.url, ...about, routes: served.routes.length }, 'listening');
    const drain = () => {
      operations.draining = true;
      server.drain();
    };
    const stop = async () => {
      drain();
      await server.stop();
      await closeAll();
    };
    return { ...handle, ...served, url: server.url, drain, stop };
  } catch (error) {
    await closeAll();
    throw error;
  }
}
