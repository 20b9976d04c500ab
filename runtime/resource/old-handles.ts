/**
 * Former handles of resources: they find the resource, unless shoppers see another one that has the handle by now.
 *
 * The row of a former handle is kept when another resource gets the handle. As long as shoppers do not see that one (a
 * draft, something hidden, something for tomorrow), links with the handle go on to lead where they led; queries ask for
 * the handle first, then for the former one.
 *
 * A row that is kept for a resource while another one has the handle has a key of its own, which is no handle: boxes of
 * earlier releases insert the row of the other one, when it leaves the handle, and would find the key taken.
 */
import type { TenantDatabase } from '../db/tenant-database.ts';

/** Where the former handles of a kind of resources are. */
export interface OldHandles {
  /** Its key is the handle. */
  readonly table: string;
  /** The column with the id of the resource: `productId`. */
  readonly owner: string;
  /** Whether shoppers see a resource now. */
  isShown(tx: TenantDatabase, id: string): Promise<boolean>;
}

/** A resource and the handle that it had until now. */
export interface LeftHandle {
  readonly id: string;
  readonly handle: string;
  /** Whether shoppers saw the resource at the handle. */
  readonly wasShown: boolean;
}

/** What the key of a row ends with while another resource has the handle. */
const keptMark = ' kept';
const keysOf = (handle: string) => [handle, handle + keptMark];

/** A query for the resource that had the handle `$2`, the last one if there are two. @param column with its id */
export function byOldHandle(table: string, column: string): string {
  return `select ${column} from ${table}
           where tenant_id = $1 and handle = any(array[$2::text, $2::text || '${keptMark}']) order by length(handle) limit 1`;
}

/** Notes the handle that a resource had. One that shoppers never saw takes no handle away that leads to one they see. */
export async function leaveHandle(
  tx: TenantDatabase,
  { table, owner, isShown }: OldHandles,
  { id, handle, wasShown }: LeftHandle,
): Promise<void> {
  const [kept] = wasShown ? [] : await rowsOf(tx, table, handle);
  const keptFor = kept?.[owner];
  if (kept && keptFor !== undefined && keptFor !== id && (await isShown(tx, keptFor))) {
    await setKey(tx, table, kept.handle as string, handle);
    return;
  }
  await tx.remove(table, { handle: keysOf(handle) });
  await tx.insert(table, { handle, [owner]: id });
}

/** Forgets that a resource once had the handle that it has now, and keeps the handle for another one that had it. */
export async function takeHandle(
  tx: TenantDatabase,
  { table, owner }: Pick<OldHandles, 'table' | 'owner'>,
  { id, handle }: Pick<LeftHandle, 'id' | 'handle'>,
): Promise<void> {
  const rows = await rowsOf(tx, table, handle);
  if (rows.length === 0) return;
  await tx.remove(table, { handle: keysOf(handle), [owner]: id });
  const [last, former] = rows.filter((row) => row[owner] !== id);
  if (!last) return;
  if (former) await tx.remove(table, { handle: former.handle });
  await setKey(tx, table, last.handle as string, handle + keptMark);
}

/** The rows of a handle, the last first. */
function rowsOf(tx: TenantDatabase, table: string, handle: string): Promise<Record<string, string>[]> {
  return tx.query(`select * from ${table} where tenant_id = $1 and handle = any($2::text[]) order by length(handle)`, [
    keysOf(handle),
  ]);
}

async function setKey(tx: TenantDatabase, table: string, from: string, to: string): Promise<void> {
  if (from !== to) await tx.query(`update ${table} set handle = $3 where tenant_id = $1 and handle = $2`, [from, to]);
}
