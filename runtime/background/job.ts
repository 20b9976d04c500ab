/**
 * Jobs: periodic work of a package for each tenant, such as cleaning up after a crash.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';

export interface Job {
  /** `<package>.<action>`, unique in the product. */
  readonly name: string;
  readonly everySeconds: number;
  /**
   * Does the work for one tenant, outside a transaction. One replica runs it each time it is due. If it takes longer
   * than `everySeconds`, or its process dies, another replica runs it again: it must be idempotent and safe to run
   * concurrently.
   */
  run(db: TenantDatabase): Promise<unknown>;
}

/** Declares a job. */
export function job(declared: Job): Job {
  return Object.freeze(declared);
}

/** Claims a job that is due until it is due again; false when it is not due or another replica has claimed it. */
export async function claimJob(db: TenantDatabase, { name, everySeconds }: Job): Promise<boolean> {
  const claimed = await db.query(
    `update background_tasks set due_at = now() + $3 * interval '1 second'
      where tenant_id = $1 and name = $2 and due_at <= now() returning name`,
    [name, everySeconds],
  );
  return claimed.length > 0;
}

/** Claims a job for another period, in the course of a run that takes long; 0 seconds to run it again soon. */
export async function renewJob(db: TenantDatabase, { name }: Pick<Job, 'name'>, seconds: number): Promise<void> {
  await db.query(
    `update background_tasks set due_at = now() + $3 * interval '1 second' where tenant_id = $1 and name = $2`,
    [name, seconds],
  );
}
