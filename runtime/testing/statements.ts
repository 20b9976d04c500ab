/**
 * The statements of requests, without those of the box's background work at the same time.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';
import { currentWork } from '../operations/current-work.ts';

/** Returns the texts of the statements that requests run while some work is done. */
export async function statementsOf(database: TenantDatabase, work: () => Promise<unknown>): Promise<string[]> {
  const prototype = Object.getPrototypeOf(database) as TenantDatabase;
  const { query } = prototype;
  const statements: string[] = [];
  prototype.query = function (this: TenantDatabase, ...args: Parameters<TenantDatabase['query']>) {
    if (currentWork()?.operationId) statements.push(args[0]);
    return query.apply(this, args);
  } as typeof query;
  try {
    await work();
    return statements;
  } finally {
    prototype.query = query;
  }
}
