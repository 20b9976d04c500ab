/**
 * Starting the box that serves: the first one, or one after an exit. It gets the public socket, and its other workers.
 */
import type { Launch } from '../box/environment.ts';
import { type BoxProcess, launchBox, type OtherWorkers, supportsHandover } from '../box/launch.ts';
import { bindPublicSocket, type PublicSocket } from '../box/public-socket.ts';
import { Followers } from './followers.ts';
import type { SupervisorContext } from './members.ts';
import { workerCount } from './worker-count.ts';

/** @throws Failure port_taken, usage if the public socket cannot be opened */
export async function startProcess(launch: Launch, context: SupervisorContext): Promise<BoxProcess> {
  const { folder, parent, members } = context;
  const before = members.current?.followers;
  const isSame = before?.launch === launch;
  if (!isSame) await before?.end();
  const socket = await socketFor(launch, context);
  const followers = isSame ? before : await followersOf(launch, socket, context);
  const process = await launchBox(folder, launch, parent, socket, followers?.leaderPlace);
  process.followers = followers;
  process.child.send?.('serve', () => undefined);
  return process;
}

/** Prepares the other workers of a launch; undefined if it has one. */
export async function followersOf(
  launch: Launch,
  socket: PublicSocket | undefined,
  { folder, parent, output, watchdogSeconds }: SupervisorContext,
): Promise<OtherWorkers | undefined> {
  const count = socket ? await workerCount(folder, launch) : 1;
  if (!socket || count === 1) return undefined;
  return new Followers({ folder, launch, parent, output, socket, count, watchdogSeconds });
}

/** Returns the public socket for a launch; the one that is open, if it has the address. */
async function socketFor(
  { release, host, port }: Launch,
  { folder, members }: SupervisorContext,
): Promise<PublicSocket | undefined> {
  const { socket } = members;
  const supported = await supportsHandover(folder, release);
  if (socket && supported && socket.host === host && socket.port === port) return socket;
  socket?.close();
  members.socket = undefined;
  if (supported) members.socket = await bindPublicSocket(host, port);
  return members.socket;
}
