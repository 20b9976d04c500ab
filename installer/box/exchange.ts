/**
 * Exchanging the running box for another while no shopper is served: for an upgrade or a rollback that changes the data.
 * The port of the box is closed from the stop of the old box until the new one has passed its smoke check at a private
 * address, so nothing that a shopper was told is lost when the data is put back.
 */
import { type AddressInfo, createServer } from 'node:net';
import { asFailure, Failure } from '../failure.ts';
import type { Output } from '../output/output.ts';
import { hasSupervisor } from './control-socket.ts';
import type { Launch } from './environment.ts';
import { checkVariable } from './environment.ts';
import type { BoxFolder } from './folder.ts';
import { type QueueEntry, removeLaunchQueue, writeLaunchQueue } from './launch-queue.ts';
import { identify } from './process-table.ts';
import { endOfLog, startBox, startSuccessor, type WaitOptions } from './replace.ts';
import { findRunningBox, type RunningBox } from './running.ts';
import { endRetired, stopForGood } from './stop-for-good.ts';
import { stopBox } from './stopping.ts';

/** What is done while no box runs. */
export interface ExchangeSteps {
  /** After the stop of the old box: nothing has changed yet. */
  stopped(): Promise<void>;
  /** After the new box has passed its check, and before it is reachable. */
  passed(): Promise<void>;
  /** After a step or the new box has failed, with no box running. @returns whether the old box may be started again */
  failed(): Promise<boolean>;
}

export interface Exchange {
  /** The box that runs; undefined if none does. */
  running: RunningBox | undefined;
  /** Undefined if there is no old box to start again. */
  old: Launch | undefined;
  new: Launch;
  steps: ExchangeSteps;
}

/**
 * Stops the running box, checks the new one at a private address, and starts it.
 * @throws Failure of the new launch, with the fact `restored: true` if the old box is running again
 */
export async function exchangeBox(
  folder: BoxFolder,
  { running, old, new: launch, steps }: Exchange,
  output: Output,
  waitOptions: WaitOptions,
): Promise<RunningBox> {
  // The supervisors of release 0.1.0 have no control socket, and end at an entry of the queue that they do not know.
  const supervised = running?.supervised === true && (await hasSupervisor(folder));
  const hold: QueueEntry = { holder: { pid: process.pid, identity: (await identify(process.pid)) ?? '' } };
  // The supervisor of a box waits until the queue has another launch, or this process has died.
  const queue = (...entries: QueueEntry[]) => (supervised ? writeLaunchQueue(folder, entries) : undefined);
  const begin = async (next: Launch, options: WaitOptions) => {
    const logStart = running && (await endOfLog(folder, running));
    await queue(next, hold);
    return supervised
      ? startSuccessor(folder, running, next, output, { ...options, logStart })
      : startBox(folder, next, output, options);
  };
  const end = async (box: RunningBox) => {
    const { stopSeconds: seconds } = waitOptions;
    await queue(hold);
    if (supervised) await stopBox(folder, box, output, { seconds, force: true });
    else await stopForGood(folder, box, output, { timeoutSeconds: seconds, force: true });
  };
  const uninterruptible = { ...waitOptions, signal: undefined, smokeCheck: false };
  let isOver = false;
  try {
    const { stopSeconds: seconds } = waitOptions;
    if (running?.supervised && !supervised) {
      await stopForGood(folder, running, output, { timeoutSeconds: seconds });
      const { pid } = running.parent as { pid: number };
      output.warn(
        `process ${pid}, which ran the box in the foreground, is of an earlier release of this command and has ended: start it again, and it takes the box over`,
        { parent: pid },
      );
    } else if (running) {
      // A box that was replaced before could complete an order on data that is put back.
      await endRetired(folder, running);
      await queue(hold);
      // It may have crashed meanwhile, and been started again.
      const present = (await findRunningBox(folder)) ?? running;
      await stopBox(folder, present, output, { seconds });
    }
    try {
      await steps.stopped();
      const checked = await begin(await privately(launch), waitOptions);
      await end(checked);
      await steps.passed();
    } catch (error) {
      const failure = asFailure(error);
      throw (await steps.failed()) ? await startAgain(failure) : failure;
    }
    const box = await begin(launch, uninterruptible);
    isOver = true;
    return box;
  } finally {
    // Without a box, the supervisor has nothing to wait for.
    if (isOver) await removeLaunchQueue(folder);
    else await queue();
  }

  async function startAgain(failure: Failure): Promise<Failure> {
    if (!running || !old) return failure;
    try {
      const box = await begin(old, uninterruptible);
      isOver = true;
      const message = `${failure.message}; release ${box.release} runs again, with its data`;
      const code = failure.code === 'box_not_healthy' ? 'taken_back' : failure.code;
      return new Failure(code, message, failure.advice, {
        ...failure.facts,
        restored: true,
        runningRelease: box.release,
      });
    } catch (error) {
      const second = asFailure(error);
      const message = `${failure.message}; the release before does not start, too: ${second.message}`;
      return new Failure('box_not_healthy', message, failure.advice || second.advice, {
        ...failure.facts,
        restored: false,
      });
    }
  }
}

/** The launch at a port of this machine that nobody knows, without background work: the data may be put back. */
async function privately(launch: Launch): Promise<Launch> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  // One worker is enough for a check. A supervisor of an earlier version of the command takes the variable from the secrets.
  const secrets = { ...launch.secrets, WORKERS: '1', [checkVariable]: '1' };
  return { ...launch, host: '127.0.0.1', port, secrets, checked: true };
}
