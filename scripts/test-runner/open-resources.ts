/**
 * What a test file may leave open in the process that it shares with others: servers, UDP sockets, child processes and
 * worker threads that keep the process alive.
 */
import { channel } from 'node:diagnostics_channel';
import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Milliseconds for what a file has ended to be gone. */
const timeToEnd = 3000;

/** What Node.js names by itself. */
const named = ['TCPServerWrap', 'UDPWrap', 'ProcessWrap'];

// Node.js calls a server of a UNIX socket as it calls a connection, which a pool may keep.
const servers = new Set<Server>();
// It does not name worker threads.
const threads = new Set<Worker>();
/** Those of both that do not keep the process alive. */
const unreferenced = new WeakSet<object>();

function noteReferences<T extends { ref(): unknown; unref(): unknown }>(prototype: T): void {
  const { ref, unref } = prototype;
  prototype.ref = function (this: T) {
    unreferenced.delete(this);
    return ref.call(this);
  };
  prototype.unref = function (this: T) {
    unreferenced.add(this);
    return unref.call(this);
  };
}

/** Starts to note what Node.js does not name. */
export function watchResources(): void {
  channel('tracing:net.server.listen:asyncEnd').subscribe((message) => {
    const { server } = message as { server: Server };
    if (typeof server.address() !== 'string') return;
    servers.add(server);
    server.once('close', () => servers.delete(server));
  });
  process.on('worker', (thread) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  });
  noteReferences(Server.prototype);
  noteReferences(Worker.prototype);
}

/** The names of what is open, one for each. */
function openResources(): string[] {
  const active = process.getActiveResourcesInfo();
  const listening = [...servers].filter((server) => server.listening && !unreferenced.has(server)).length;
  const running = [...threads].filter((thread) => !unreferenced.has(thread)).length;
  return [
    ...active.filter((name) => named.includes(name)),
    ...Array.from({ length: listening }, () => 'UNIX server'),
    ...Array.from({ length: running }, () => 'worker thread'),
  ];
}

/** What is open now and was not before. */
function opened(before: readonly string[]): string[] {
  const earlier = [...before];
  return openResources().filter((name) => {
    const place = earlier.indexOf(name);
    if (place >= 0) earlier.splice(place, 1);
    return place < 0;
  });
}

/** Starts to watch a file. @returns what it has left open; a test that ends must end what it started */
export function watchFile(): () => Promise<string[]> {
  const before = openResources();
  return async () => {
    for (const started = performance.now(); performance.now() - started < timeToEnd; await sleep(20)) {
      if (opened(before).length === 0) return [];
    }
    return opened(before);
  };
}
