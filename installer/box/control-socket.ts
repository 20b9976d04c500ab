/**
 * Where the control socket of a box is (control.ts), and whether a supervisor listens on it.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { type BoxFolder, exists } from './folder.ts';
import { reachable } from './socket-path.ts';

/** The path of the control socket. */
export function controlPath(folder: BoxFolder): string {
  return join(folder.run, 'control.sock');
}

/** Whether a supervisor is there, also one that waits before it restarts a box that has crashed. */
export async function hasSupervisor(folder: BoxFolder): Promise<boolean> {
  const socket = await connectTo(folder);
  socket?.destroy();
  return socket !== undefined;
}

/** Returns a connection to the supervisor of a box, or undefined if there is none. */
export async function connectTo(folder: BoxFolder): Promise<Socket | undefined> {
  if (!(await exists(folder.run))) return undefined;
  const socket = connect(reachable(controlPath(folder)));
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  });
  return isOpen ? socket : undefined;
}
