/**
 * Contributions to extension points of a running box, for the duration of a test. What a box has from its start is the
 * option `extends` of `createTestBox`.
 */
import type { Database } from '../db/database.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { type Contribution, type ExtensionPoint, type Extensions, gatherExtensions } from '../extension/extension.ts';
import type { TestBox } from './box.ts';

/** What the boxes that were extended have without tests. */
const mounted = new WeakMap<Database, Extensions>();

export interface ExtendOptions {
  /** Points without their contributions from the start of the box. */
  without?: readonly ExtensionPoint<unknown>[];
}

/**
 * Contributes to a box until the test ends, or calls this again. Requests see it; background work, and schemas that
 * were computed at the start, do not. Returns the tenant's database as requests see it.
 * @example extendBox(t, box, [cartTotals.with(step)]);
 */
export function extendBox(
  t: { teardown(task: () => void): void },
  { box: { database }, id }: Pick<TestBox, 'box' | 'id'>,
  contributions: readonly Contribution[],
  { without = [] }: ExtendOptions = {},
): TenantDatabase {
  const before = database.extensions;
  const own = mounted.get(database) ?? before;
  mounted.set(database, own);
  const kept = new Map(own);
  for (const point of without) kept.delete(point);
  database.extensions = gatherExtensions(contributions, kept);
  t.teardown(() => {
    database.extensions = before;
  });
  return database.forTenant(id);
}
