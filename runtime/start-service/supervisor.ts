/**
 * The supervisor of a process: its parent, if that holds the listening socket (installer/supervisor/supervision.ts). Another
 * process can then take the place of this one without a refused connection.
 *
 * The supervisor starts the process with the socket as file descriptor 3, an IPC channel, and the variable
 * `SUPERVISOR_PRIVATE_PATH`: the path of a Unix socket on which it checks the process. It sends `serve` when the process
 * may listen on the shared socket, and `retire` when another one does. The process answers `serving` once it listens,
 * `retiring` once it accepts no more connections, and `stopping` when a signal has told it to stop.
 *
 * Of several workers (runtime/workers), `SUPERVISOR_WORKER` says which one the process is (`2/4`) and
 * `SUPERVISOR_WORKERS_PATH` where their leader listens.
 *
 * `SUPERVISOR_CHECK` says that the process is stopped once it has passed its check, at an address that nobody knows, and
 * that its data may be put back (installer/box/exchange.ts). It then does no background work: a mail would be sent again.
 */
import type { Place } from '../workers/workers.ts';
import type { Handover } from './start-service.ts';

/** The file descriptor of the shared socket: the first after those of standard input, output and error. */
const socketDescriptor = 3;
const privatePathVariable = 'SUPERVISOR_PRIVATE_PATH';
const workerVariable = 'SUPERVISOR_WORKER';
const workersPathVariable = 'SUPERVISOR_WORKERS_PATH';
const checkVariable = 'SUPERVISOR_CHECK';

export interface Supervisor extends Handover {
  /** Which worker the process is; absent if it is the only one. */
  readonly place?: Place;
  /** Resolves when the process may serve; rejects if the supervisor dies before. */
  readonly serve: Promise<void>;
  /** Resolves when another process serves. */
  readonly retire: Promise<void>;
  /** Resolves when the supervisor has ended. */
  readonly ended: Promise<void>;
  /** Tells the supervisor that the process serves. */
  reportServing(): void;
  /** Tells the supervisor that the process accepts no more connections. */
  reportRetiring(): void;
  /** Tells the supervisor that the process was told to stop, and with it the other workers. */
  reportStopping(): void;
}

/** Returns the supervisor of this process, if it has one. Call it at the start, so that no message is lost. */
export function findSupervisor(): Supervisor | undefined {
  const { [privatePathVariable]: privatePath, [checkVariable]: check } = process.env;
  if (!privatePath || !process.send) return undefined;
  // Children of this process, such as a program that decodes images, are not supervised.
  delete process.env[privatePathVariable];
  const place = takePlace();
  delete process.env[checkVariable];
  const received = new Map<unknown, () => void>();
  const whenSent = (command: string) =>
    new Promise<void>((resolve) => {
      received.set(command, resolve);
    });
  const retire = whenSent('retire');
  const serve = new Promise<void>((resolve, reject) => {
    received.set('serve', resolve);
    process.once('disconnect', () => reject(new Error('its supervisor has ended')));
  });
  serve.catch(() => {}); // reported where it is awaited
  const ended = new Promise<void>((resolve) => process.once('disconnect', resolve));
  // A supervisor that dies meanwhile leaves this process serving.
  const report = (message: string) => process.connected && process.send?.(message, () => {});
  process.on('message', (message) => received.get(message)?.());
  return {
    privatePath,
    socket: socketDescriptor,
    ...(place && { place }),
    onlyChecked: check !== undefined,
    serve,
    retire,
    ended,
    reportServing: () => void report('serving'),
    reportRetiring: () => void report('retiring'),
    reportStopping: () => void report('stopping'),
  };
}

function takePlace(): Place | undefined {
  const { [workerVariable]: worker, [workersPathVariable]: path } = process.env;
  delete process.env[workerVariable];
  delete process.env[workersPathVariable];
  if (!worker || !path) return undefined;
  const [number = 1, count = 1] = worker.split('/').map(Number);
  return { number, count, path };
}
