/**
 * The listening socket of a box. Its supervisor binds it and never accepts from it: the processes that it starts inherit
 * the socket and accept its connections. Connections that arrive while one process takes the place of another, or while
 * one that has crashed is started again, wait in the socket's queue; none is refused.
 */
import { lookup } from 'node:dns/promises';
import net, { isIPv6 } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { Failure } from '../failure.ts';

export interface PublicSocket {
  readonly host: string;
  readonly port: number;
  /** The file descriptor, for the `stdio` of a child. */
  readonly descriptor: number;
  close(): void;
}

/** A socket that is bound, and listens as soon as a process that shares it does. */
interface BoundHandle {
  readonly fd: number;
  getsockname(address: object): number;
  close(): void;
}

/**
 * The function by which the primary of a cluster binds a socket for its workers. A server of `net` would accept
 * connections itself. It is not documented; the command is built with one exact version of Node.js, and tests cover it.
 */
const { _createServerHandle: bindHandle } = net as unknown as {
  _createServerHandle(host: string, port: number, family: 4 | 6): BoundHandle | number;
};

/** Binds the socket. @throws Failure port_taken, usage */
export async function bindPublicSocket(host: string, port: number): Promise<PublicSocket> {
  const { address } = await lookup(host);
  const handle = bindHandle(address, port, isIPv6(address) ? 6 : 4);
  // A port that is in use is reported with the first use of the socket.
  const error = typeof handle === 'number' ? handle : handle.getsockname({});
  if (typeof handle === 'number' || error !== 0) {
    if (typeof handle !== 'number') handle.close();
    throw explain(getSystemErrorName(error), host, port);
  }
  return { host, port, descriptor: handle.fd, close: () => handle.close() };
}

function explain(code: string, host: string, port: number): Failure {
  if (code === 'EADDRINUSE') {
    return new Failure(
      'port_taken',
      `port ${port} is already in use on ${host}`,
      'Stop the process that listens there, or choose another port with --port',
    );
  }
  const reason = code === 'EACCES' ? 'this user may not open it: choose one above 1023' : code;
  return new Failure('usage', `port ${port} on ${host} cannot be opened: ${reason}`, 'Choose another with --port');
}
