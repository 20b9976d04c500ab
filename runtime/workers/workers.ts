/**
 * The workers of a box: processes that its supervisor starts on one listening socket. The first is the leader: it owns the
 * embedded PostgreSQL, applies migrations, does the background work, and counts what has a limit. The others connect to
 * it, and only serve requests. Without it, after a crash, they serve on until the supervisor has started it again.
 */
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Handlers, Peer } from './peer.ts';

/** Which worker a process is. */
export interface Place {
  /** From 1, the leader. */
  number: number;
  count: number;
  /** Path of the Unix socket on which the leader listens for the others. */
  path: string;
}

export interface Workers extends Omit<Place, 'path'> {
  readonly isLeader: boolean;
  /** What this worker answers to others. */
  readonly handlers: Handlers;
  /** The connection to the leader; undefined while there is none, and in the leader itself. */
  readonly leader: Peer | undefined;
  /** In the leader, the connections of the others. */
  readonly followers: ReadonlySet<Peer>;
  /** In the leader: sends a message to all others, also to those that connect later. */
  tellAll(name: string): void;
  /** In the leader: resolves when no other worker is connected; to false if one still is after these milliseconds. */
  untilAlone(milliseconds: number): Promise<boolean>;
  close(): Promise<void>;
}

const reconnectMilliseconds = 100;

/** Connects a worker with the others. @throws Error if the leader cannot listen */
export async function openWorkers(place: Place): Promise<Workers> {
  return place.number === 1 ? openLeader(place) : openFollower(place);
}

async function openLeader({ number, count, path }: Place): Promise<Workers> {
  const handlers: Handlers = new Map();
  const followers = new Set<Peer>();
  const told = new Set<string>();
  const server = createServer((socket) => {
    const peer = new Peer(socket, handlers);
    followers.add(peer);
    for (const name of told) peer.tell(name);
    void peer.closed.then(() => followers.delete(peer));
  });
  // A leader that was killed has left its socket.
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // For this user only: the mask is that of the whole process, and the file is created at once.
    const mask = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(mask);
  });
  return {
    number,
    count,
    isLeader: true,
    handlers,
    leader: undefined,
    followers,
    tellAll(name) {
      told.add(name);
      for (const peer of followers) peer.tell(name);
    },
    async untilAlone(milliseconds) {
      const until = performance.now() + milliseconds;
      while (followers.size > 0 && performance.now() < until) await sleep(20);
      return followers.size === 0;
    },
    async close() {
      for (const peer of followers) peer.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function openFollower({ number, count, path }: Place): Workers {
  const handlers: Handlers = new Map();
  let leader: Peer | undefined;
  let isClosed = false;
  const reconnect = () => {
    if (isClosed) return;
    const socket = connect(path);
    const peer = new Peer(socket, handlers);
    socket.once('connect', () => {
      leader = peer;
    });
    void peer.closed.then(() => {
      leader = undefined;
      setTimeout(reconnect, reconnectMilliseconds).unref();
    });
  };
  reconnect();
  return {
    number,
    count,
    isLeader: false,
    handlers,
    get leader() {
      return leader;
    },
    followers: new Set(),
    tellAll: () => undefined,
    untilAlone: async () => true,
    async close() {
      isClosed = true;
      leader?.end();
    },
  };
}

/** Returns this worker's part of a number that is for the whole box, at least 1. */
export function shareOf(total: number, workers: Pick<Place, 'number' | 'count'> | undefined): number {
  if (!workers) return total;
  const { number, count } = workers;
  return Math.max(1, Math.floor(total / count) + (number <= total % count ? 1 : 0));
}

/**
 * Has all workers empty a cache when one of them does.
 * @param empty empties that of this worker
 * @returns the function to call after a change; it resolves when all have emptied theirs, or do not answer
 */
export function shareInvalidation(workers: Workers | undefined, empty: () => void): () => Promise<void> {
  if (!workers) return async () => empty();
  const ask = (peer: Peer) => peer.ask('invalidate').catch(() => undefined);
  const relay = (from?: Peer) => Promise.all([...workers.followers].filter((peer) => peer !== from).map(ask));
  workers.handlers.set('invalidate', async (_: never, from: Peer) => {
    empty();
    await relay(from);
  });
  return async () => {
    empty();
    await (workers.leader ? ask(workers.leader) : relay());
  };
}
