/**
 * The connection of two workers of a box: JSON in lines over a Unix socket, with questions that are answered and messages
 * that are not. What is sent in one turn of the event loop is written at once.
 */
import type { Socket } from 'node:net';

/** Answers what other workers send, by name; what a function throws rejects the question. */
export type Handlers = Map<string, (value: never, peer: Peer) => unknown>;

interface Pending {
  resolve(answer: unknown): void;
  reject(error: Error): void;
  /** Counted in sweeps, not by the clock: a process that was suspended, or busy, has not waited for the other. */
  sweepsLeft: number;
}

type Line = { ask?: string; tell?: string; answer?: unknown; error?: string; id?: number; value?: unknown };

const sweepMilliseconds = 100;
const defaultPatience = 2_000;

export class Peer {
  readonly #socket: Socket;
  readonly #handlers: Handlers;
  readonly #pending = new Map<number, Pending>();
  #lines: string[] = [];
  #rest = '';
  #last = 0;
  #silent = false;
  #sweep: NodeJS.Timeout | undefined;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;

  constructor(socket: Socket, handlers: Handlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.setEncoding('utf8');
    socket.on('data', (text) => this.#receive(String(text)));
    socket.on('error', () => undefined); // followed by its close
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        clearInterval(this.#sweep);
        for (const { reject } of this.#pending.values()) reject(new Error('the other worker has ended'));
        this.#pending.clear();
        resolve();
      });
    });
  }

  /** Sends a message that has no answer. */
  tell(name: string, value?: unknown): void {
    this.#send({ tell: name, value });
  }

  /**
   * Asks a question. Rejects when the connection ends, or after some milliseconds; then at once, until the other worker is
   * heard of again, so that work does not wait for a worker that hangs.
   */
  ask(name: string, value?: unknown, patience = defaultPatience): Promise<unknown> {
    if (this.#silent || this.#socket.destroyed) return Promise.reject(new Error('the other worker does not answer'));
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, sweepsLeft: Math.ceil(patience / sweepMilliseconds) });
      this.#sweep ??= setInterval(() => this.#rejectLate(), sweepMilliseconds).unref();
      this.#send({ ask: name, value, id });
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #send(line: Line): void {
    this.#lines.push(JSON.stringify(line));
    if (this.#lines.length > 1) return;
    process.nextTick(() => {
      const text = `${this.#lines.join('\n')}\n`;
      this.#lines = [];
      if (!this.#socket.destroyed) this.#socket.write(text);
    });
  }

  #receive(text: string): void {
    this.#silent = false;
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) this.#take(JSON.parse(line));
  }

  #take({ ask, tell, id = 0, value, answer, error }: Line): void {
    if (ask !== undefined) void this.#answer(ask, id, value);
    else if (tell !== undefined) void this.#handlers.get(tell)?.(value as never, this);
    else {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      if (error === undefined) pending?.resolve(answer);
      else pending?.reject(new Error(error));
    }
  }

  async #answer(name: string, id: number, value: unknown): Promise<void> {
    try {
      const handler = this.#handlers.get(name);
      if (!handler) throw new Error(`this worker has no answer to ${name}`);
      const given = handler(value as never, this);
      this.#send({ id, answer: (given instanceof Promise ? await given : given) ?? null });
    } catch (error) {
      this.#send({ id, error: (error as Error).message });
    }
  }

  #rejectLate(): void {
    for (const [id, pending] of this.#pending) {
      pending.sweepsLeft -= 1;
      if (pending.sweepsLeft >= 0) continue;
      this.#silent = true;
      this.#pending.delete(id);
      pending.reject(new Error('the other worker does not answer'));
    }
    if (this.#pending.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
