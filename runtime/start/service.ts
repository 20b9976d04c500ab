/**
 * The start and the stop of a service, the same for a box and for the control plane: its operations, what it opens, its
 * API, listening; and at the end all of it backwards.
 */
import { type Logger, pino } from 'pino';
import { listen } from '../http/server.ts';
import { type Operations, startOperations } from '../operations/operations.ts';
import type { TracingSettings } from '../operations/tracing/settings.ts';
import { type Api, type ApiDescription, createApi } from './api.ts';

export interface ServiceOptions {
  /** Names the build: version, tier. Labels of a metric. */
  about: Record<string, string>;
  /** Milliseconds from which on a statement is logged as slow; 0, unless given, for never. */
  slowQueries?: number;
  /** Where given, traces are made and sent. */
  tracing?: TracingSettings | null;
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Nothing is logged unless given. */
  log?: Logger;
}

/** A service that is being opened. */
export interface Opening {
  log: Logger;
  operations: Operations;
  /** Says how to close what was opened: what came last is closed first, when the service stops or cannot start. */
  closes(close: () => Promise<void>): void;
}

export interface Opened<Scope, Services extends object, Caller, Given extends object> {
  /** What whoever started it is given besides. */
  given: Given;
  api: ApiDescription<Scope, Services, Caller>;
  /** Called once it listens. */
  listening?(): void;
}

export interface RunningApi<Services> extends Omit<Api<Services>, 'app'> {
  url: string;
  /** Says by `/health` that it will stop, and goes on serving. */
  drain(): void;
  /** Ends what is under way, requests first, then closes what was opened. */
  stop(): Promise<void>;
}

/**
 * Starts a service.
 * @param open opens what it works with and says what it serves
 * @throws Error with one clear line about what stops it; what was opened is closed then
 */
export async function startService<Scope, Services extends object, Caller, Given extends object>(
  options: ServiceOptions,
  open: (opening: Opening) => Promise<Opened<Scope, Services, Caller, Given>>,
): Promise<Given & RunningApi<Services>> {
  const { log = pino({ level: 'silent' }), about, slowQueries, tracing } = options;
  const operations = await startOperations({ log, about, slowQueries, tracing });
  const closings = [operations.stop];
  const close = async () => {
    for (const each of closings.toReversed()) await each();
  };
  try {
    const { given, api, listening } = await open({ log, operations, closes: (each) => closings.push(each) });
    const { app, ...served } = await createApi(api, { log, operations });
    const server = await listen(app, options.host, options.port);
    listening?.();
    log.info({ url: server.url, ...about, routes: served.routes.length }, 'listening');
    const drain = () => {
      operations.draining = true;
      server.drain();
    };
    const stop = async () => {
      drain();
      await server.stop();
      await close();
    };
    return { ...given, ...served, url: server.url, drain, stop };
  } catch (error) {
    await close();
    throw error;
  }
}
