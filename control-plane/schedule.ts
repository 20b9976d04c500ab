/**
 * Jobs: work that every replica repeats for as long as it runs. Each is declared in the folder it belongs to.
 */

export interface Job {
  /** What is logged if a run fails. */
  readonly complaint: string;
  /** Milliseconds between the end of a run and the next one; 0 for never. */
  readonly interval: number;
  /** Whether it also runs before the service starts. */
  readonly atStart?: boolean;
  run(): Promise<unknown>;
  /** Ends what runs have begun and not waited for. */
  end?(): Promise<void>;
}

interface JobLog {
  warn(facts: object, message: string): void;
}

/**
 * Starts jobs. `stop` waits for the runs in progress.
 * @returns once the jobs that run at the start have run
 */
export async function startJobs(jobs: readonly Job[], log: JobLog): Promise<{ stop(): Promise<void> }> {
  const repeated = jobs.filter(({ interval }) => interval > 0);
  for (const job of repeated) if (job.atStart) await attempt(job, log);
  const schedules = repeated.map((job) => repeat(job, log));
  return {
    async stop() {
      await Promise.all(schedules.map((schedule) => schedule.stop()));
    },
  };
}

async function attempt(job: Job, log: JobLog): Promise<void> {
  try {
    await job.run();
  } catch (error) {
    log.warn({ err: error }, job.complaint);
  }
}

function repeat(job: Job, log: JobLog): { stop(): Promise<void> } {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const plan = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = attempt(job, log).then(plan);
    }, job.interval);
    timer.unref();
  };
  plan();
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
      await job.end?.();
    },
  };
}
