/**
 * Jobs: what a package does every so often for each tenant, such as looking after what a crash left behind.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';

export interface Job {
  /** `<package>.<what it does>`, unique in the product. */
  readonly name: string;
  readonly everySeconds: number;
  /**
   * Does the work for one tenant, outside of a transaction. One replica begins it each time it is due; should it take
   * longer than `everySeconds`, or its process die, another begins it: whatever it does must bear that.
   */
  run(db: TenantDatabase): Promise<unknown>;
}

/** Declares a job. */
export function job(declared: Job): Job {
  return Object.freeze(declared);
}

/** Begins a job that is due, for nobody else to begin it until it is due again; false when another replica has. */
export async function claimJob(db: TenantDatabase, { name, everySeconds }: Job): Promise<boolean> {
  const claimed = await db.query(
    `update background_tasks set due_at = now() + $3 * interval '1 second'
      where tenant_id = $1 and name = $2 and due_at <= now() returning name`,
    [name, everySeconds],
  );
  return claimed.length > 0;
}
