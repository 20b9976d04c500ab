/**
 * The supervisor's part in a replacement without a gap (control.ts): the new box starts beside the old one, and takes its
 * place once the command has found it healthy.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import type { ControlSession } from './control.ts';
import { exitOf, statusOf } from './exit-status.ts';
import type { BoxFolder } from './folder.ts';
import { type BoxProcess, type Launch, launchBox, supportsHandover } from './launch.ts';
import { bindPublicSocket, type PublicSocket } from './public-socket.ts';
import type { Parent } from './running.ts';

/**
 * How long a box that was replaced may take for its last requests and the keep-alive time of idle connections (65 s), and
 * after that for what is still in progress.
 */
const retirementMilliseconds = 80_000;
const stopMilliseconds = 20_000;
const seeOutput = 'See its output for the cause';

/** The processes of a supervisor. */
export interface Members {
  /** The box that serves, or is being started to serve. */
  current: BoxProcess;
  /** The box that is being checked. */
  candidate: BoxProcess | undefined;
  /** Boxes that were replaced, and complete their requests. */
  readonly retired: Set<BoxProcess>;
  /** The public socket; absent for a release that listens by itself. */
  socket: PublicSocket | undefined;
  isOurs(pid: number): boolean;
}

export interface ReplacementContext {
  folder: BoxFolder;
  parent: Parent;
  output: Output;
  members: Members;
  /** Runs changes of the members one after another. */
  exclusively<T>(change: () => Promise<T>): Promise<T>;
  isStopping(): boolean;
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
    const process = await launchBox(context.folder, launch, context.parent, socket);
    candidate = { process, socket };
    members.candidate = process;
    void exitOf(process.child).then((status) => {
      if (members.candidate !== process) return;
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
    void endProcess(process);
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
    const old = members.current;
    candidate = undefined;
    members.candidate = undefined;
    if (socket !== members.socket) members.socket?.close();
    members.socket = socket;
    await context.becomeCurrent(process);
    const { release } = process.launch;
    output.info('replaced', `replacing release ${old.launch.release} with ${release}`, { release });
    // One retired box is enough for a small machine: an earlier one ends now.
    for (const earlier of members.retired) void endProcess(earlier);
    if (statusOf(old.child) === undefined) await retire(old, members);
    session.answer({ answer: 'serving' });
  };

  const end = async () => {
    await endRetired(members);
    session.answer({ answer: 'retiredEnded' });
  };

  session.onRequest((request) => {
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

/** Tells a box to serve, and waits until it does. */
function beginsToServe({ child }: BoxProcess): Promise<'serving' | 'exited' | 'silent'> {
  const serving = new Promise<'serving'>((resolve) => child.once('message', () => resolve('serving')));
  child.send('serve', () => undefined);
  const silent = sleep(stopMilliseconds, 'silent' as const, { ref: false });
  return Promise.race([serving, exitOf(child).then(() => 'exited' as const), silent]);
}

/** Has a box complete its requests and end. Resolves when it accepts no more connections: new ones reach its successor only. */
async function retire(process: BoxProcess, members: Members): Promise<void> {
  const { child } = process;
  members.retired.add(process);
  const exited = exitOf(child).then(() => members.retired.delete(process));
  const retiring = new Promise<void>((resolve) => {
    child.on('message', (message) => message === 'retiring' && resolve());
  });
  child.send('retire', () => undefined);
  void endAfter(process, retirementMilliseconds);
  await Promise.race([retiring, exited, sleep(stopMilliseconds, undefined, { ref: false })]);
}

async function endAfter(process: BoxProcess, milliseconds: number): Promise<void> {
  await Promise.race([exitOf(process.child), sleep(milliseconds, undefined, { ref: false })]);
  await endProcess(process);
}

/** Ends the boxes that were replaced. */
export async function endRetired({ retired, candidate }: Members): Promise<void> {
  await Promise.all([...retired, ...(candidate ? [candidate] : [])].map(endProcess));
}

/** Stops a process, and kills it if that takes too long. */
async function endProcess({ child }: BoxProcess): Promise<void> {
  if (statusOf(child) !== undefined) return;
  child.kill('SIGTERM');
  const isOver = exitOf(child).then(() => true);
  if (await Promise.race([isOver, sleep(stopMilliseconds, false, { ref: false })])) return;
  child.kill('SIGKILL');
  await isOver;
}
