/**
 * The control socket of a supervisor, by which other commands ask it to replace its box without a gap: a Unix socket in
 * the folder `run`, with one JSON object in each line.
 *
 * A connection is one replacement. The command sends `switch`; the supervisor starts the new box beside the old one and
 * answers `started`. The command checks the new box at its private path and sends `serve`; the supervisor gives it the
 * public socket, retires the old one, and answers `serving`. If the connection ends before that, for whatever reason,
 * the supervisor stops the new box, and the old one has never stopped.
 *
 * A command that has started a supervisor tells it with `healthy` that the start has succeeded: from then on the supervisor
 * restarts a box that crashes, also if its own health check has not succeeded yet.
 */
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { ExitCode } from '../exit-codes.ts';
import { connectTo, controlPath } from './control-socket.ts';
import type { Launch } from './environment.ts';
import type { BoxFolder } from './folder.ts';
import type { RunningBox } from './running.ts';
import { reachable } from './socket-path.ts';

export type Request =
  | { request: 'switch'; launch: Launch }
  | { request: 'serve' }
  | { request: 'healthy' }
  /** Before a stop: ends the boxes that were replaced. The present one stops the database, which they still need. */
  | { request: 'endRetired' };

export type Answer =
  | { answer: 'started'; box: RunningBox; privatePath: string }
  /** The box must be stopped first, for this reason. */
  | { answer: 'unsupported'; reason: string }
  | { answer: 'serving' }
  | { answer: 'restartsIt' }
  | { answer: 'retiredEnded' }
  | { answer: 'failed'; code: ExitCode; reason: string; advice: string };

/** One connection of a command. */
export interface ControlSession {
  answer(answer: Answer): void;
  /** Calls back at each request. */
  onRequest(call: (request: Request) => void): void;
  /** Calls back when the command has closed the connection, or died. */
  onEnd(call: () => void): void;
  end(): void;
}

/** Listens on the control socket. @returns the function that closes it and removes its file */
export async function serveControl(
  folder: BoxFolder,
  accept: (session: ControlSession) => void,
): Promise<() => Promise<void>> {
  const path = controlPath(folder);
  await rm(path, { force: true });
  const connections = new Set<Socket>();
  const server: Server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined); // followed by its close
    socket.once('close', () => connections.delete(socket));
    accept({
      answer: (answer) => void socket.write(`${JSON.stringify(answer)}\n`),
      onRequest(call) {
        // A command that is killed leaves half a line, or what it has not read: neither may end the supervisor.
        const lines = createInterface(socket).on('error', () => undefined);
        lines.on('line', (line) => {
          const request = parsed<Request>(line);
          if (request) call(request);
          else socket.destroy();
        });
      },
      onEnd: (call) => socket.once('close', call),
      end: () => socket.end(),
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // For the owner of the folder only: what the socket accepts starts programs. Its file is created at once.
    const mask = process.umask(0o177);
    server.listen(reachable(path), resolve);
    process.umask(mask);
  });
  return async () => {
    for (const socket of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(path, { force: true });
  };
}

/** A replacement, seen from the command. */
export interface Replacement {
  send(request: Request): void;
  /** Resolves to the next answer; undefined when the supervisor has ended the connection. */
  next(): Promise<Answer | undefined>;
  /** Ends the connection: a new box that does not serve yet is stopped. */
  end(): void;
}

/** Connects to the supervisor of a running box. @returns undefined if it has no control socket */
export async function openReplacement(folder: BoxFolder, running: RunningBox): Promise<Replacement | undefined> {
  if (!running.supervised) return undefined;
  const socket = await connectTo(folder);
  if (!socket) return undefined;
  socket.on('error', () => undefined);
  const lines = createInterface(socket)[Symbol.asyncIterator]();
  return {
    send: (request) => void socket.write(`${JSON.stringify(request)}\n`),
    async next() {
      // A supervisor that is killed may end the connection with an error, or in the middle of a line.
      const { value } = await lines.next().catch(() => ({ value: undefined }));
      return value === undefined ? undefined : parsed<Answer>(value);
    },
    end: () => socket.destroy(),
  };
}

/** Returns the object of a line; undefined if it is not a complete one. */
function parsed<T extends object>(line: string): T | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
