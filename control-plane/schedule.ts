/**
 * Runs work repeatedly, until it is stopped.
 */

interface ScheduleLog {
  warn(facts: object, message: string): void;
}

/**
 * Runs work, then again each time that this many milliseconds have passed since it ended. `stop` waits for the work in
 * progress.
 * @param complaint what is logged if the work fails
 */
export function startSchedule(
  work: () => Promise<unknown>,
  log: ScheduleLog,
  complaint: string,
  everyMilliseconds: number,
): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const run = async () => {
    try {
      await work();
    } catch (error) {
      log.warn({ err: error }, complaint);
    }
    plan();
  };
  const plan = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run();
    }, everyMilliseconds);
    timer.unref();
  };
  plan();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
