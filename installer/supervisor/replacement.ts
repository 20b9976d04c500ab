/**
 * The supervisor's part in what commands ask it for by its control socket (box/control.ts), such as a replacement without
 * a gap: the new box starts beside the old one, and takes its place once the command has found it healthy.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlSession } from '../box/control.ts';
import type { Launch } from '../box/environment.ts';
import { type BoxProcess, launchBox, supportsHandover } from '../box/launch.ts';
import { bindPublicSocket, type PublicSocket } from '../box/public-socket.ts';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { beginsToServe, endProcess, stopMilliseconds } from './box-process.ts';
import { exitOf, statusOf } from './exit-status.ts';
import type { Members, SupervisorContext } from './members.ts';
import { followersOf } from './start-process.ts';

/**
 * How long a box that was replaced may take for its last requests and the keep-alive time of idle connections (65 s), and
 * after that for what is still in progress.
 */
const retirementMilliseconds = 80_000;
const seeOutput = 'See its output for the cause';

export interface ReplacementContext extends SupervisorContext {
  /** Runs changes of the members one after another. */
  exclusively<T>(change: () => Promise<T>): Promise<T>;
  isStopping(): boolean;
  /** A command has found the box healthy. */
  markHealthy(): void;
  /** @throws Error if that cannot be recorded: then nothing has changed */
  becomeCurrent(process: BoxProcess): Promise<void>;
}

/** Answers the requests of one command. */
export function acceptReplacement(session: ControlSession, context: ReplacementContext): void {
  const { members, output, exclusively } = context;
  let candidate: { process: BoxProcess; socket: PublicSocket } | undefined;

  const fail = ({ code, message, advice }: Failure) =>
    session.answer({ answer: 'failed', code, reason: message, advice });

  const begin = async (launch: Launch) => {
    const reason = await reasonAgainst(launch, context);
    if (reason) return session.answer({ answer: 'unsupported', reason });
    const socket = await socketOf(launch, members);
    if (!socket) return session.answer({ answer: 'unsupported', reason: 'its new address overlaps with the old one' });
    const followers = await followersOf(launch, socket, context);
    const process = await launchBox(context.folder, launch, context.parent, socket, followers?.leaderPlace);
    process.followers = followers;
    candidate = { process, socket };
    members.candidate = process;
    void exitOf(process.child).then((status) => {
      if (candidate?.process !== process) return;
      abandon();
      fail(new Failure('box_not_healthy', `the box exited with status ${status} during its start`, seeOutput));
    });
    session.answer({ answer: 'started', box: process.box, privatePath: process.privatePath as string });
  };

  /** Stops a box that does not serve yet. */
  const abandon = () => {
    if (!candidate) return;
    const { process, socket } = candidate;
    candidate = undefined;
    members.candidate = undefined;
    if (socket !== members.socket) socket.close();
    void process.followers?.end();
    void endProcess(process, output);
  };

  const complete = async () => {
    if (!candidate || context.isStopping()) return session.end();
    const { process, socket } = candidate;
    const begun = await beginsToServe(process);
    if (begun === 'exited') return; // its exit is answered
    if (begun === 'silent') {
      abandon();
      return fail(new Failure('box_not_healthy', 'the box did not begin to serve', seeOutput));
    }
    // As many as before serve until the old ones retire.
    await process.followers?.start();
    if (statusOf(process.child) !== undefined) return; // its exit is answered
    const old = members.current;
    // From now on its exit is that of a box that serves; signals reach it as the candidate, then as the current box.
    candidate = undefined;
    try {
      await context.becomeCurrent(process);
    } catch (error) {
      candidate = { process, socket };
      abandon();
      throw error;
    }
    members.candidate = undefined;
    if (socket !== members.socket) members.socket?.close();
    members.socket = socket;
    const { release } = process.launch;
    output.info('replaced', `replacing release ${old.launch.release} with ${release}`, { release });
    // One retired box is enough for a small machine: an earlier one ends now.
    for (const earlier of members.retired) void endProcess(earlier, output);
    const followers = (await old.followers?.release()) ?? [];
    const running = [old, ...followers].filter(({ child }) => statusOf(child) === undefined);
    await Promise.all(running.map((each) => retire(each, members, output)));
    session.answer({ answer: 'serving' });
  };

  const end = async () => {
    await members.endRetired();
    session.answer({ answer: 'retiredEnded' });
  };

  session.onRequest((request) => {
    if (request.request === 'healthy') {
      context.markHealthy();
      return session.answer({ answer: 'restartsIt' });
    }
    const answer = () => {
      if (request.request === 'switch') return begin(request.launch);
      return request.request === 'serve' ? complete() : end();
    };
    void exclusively(answer).catch((error) => fail(asFailure(error)));
  });
  session.onEnd(() => void exclusively(async () => abandon()));
}

/** Returns why a launch cannot start beside the running box; undefined if it can. */
async function reasonAgainst(launch: Launch, { folder, members, isStopping }: ReplacementContext) {
  if (isStopping() || members.candidate) return 'the box is being stopped or replaced';
  if (!members.socket) return 'the running release does not support it';
  if (!(await supportsHandover(folder, launch.release))) return 'the new release does not support it';
  return undefined;
}

/** Returns the public socket of a launch; undefined if its address cannot be opened beside the present one. */
async function socketOf({ host, port }: Launch, { socket }: Members): Promise<PublicSocket | undefined> {
  if (socket && socket.host === host && socket.port === port) return socket;
  try {
    return await bindPublicSocket(host, port);
  } catch (error) {
    if (socket?.port === port) return undefined;
    throw error;
  }
}

/** Has a box complete its requests and end. Resolves when it accepts no more connections: new ones reach its successor only. */
async function retire(process: BoxProcess, members: Members, output: Output): Promise<void> {
  const { child } = process;
  members.retired.add(process);
  const exited = exitOf(child).then(() => members.retired.delete(process));
  const retiring = new Promise<void>((resolve) => {
    child.on('message', (message) => message === 'retiring' && resolve());
  });
  child.send('retire', () => undefined);
  void endAfter(process, retirementMilliseconds, output);
  await Promise.race([retiring, exited, sleep(stopMilliseconds, undefined, { ref: false })]);
}

async function endAfter(process: BoxProcess, milliseconds: number, output: Output): Promise<void> {
  await Promise.race([exitOf(process.child), sleep(milliseconds, undefined, { ref: false })]);
  await endProcess(process, output);
}
