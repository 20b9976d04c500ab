/**
 * Former handles of resources: they find the resource, unless shoppers see another one that has the handle by now.
 *
 * The row of a former handle stays when another resource gets the handle. As long as shoppers do not see that one (a
 * draft, something hidden, something for tomorrow), links with the handle go on to lead where they led; queries ask for
 * the handle first, then for the former one.
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

/** Notes the handle that a resource had. One that shoppers never saw takes no handle away that leads to one they see. */
export async function leaveHandle(
  tx: TenantDatabase,
  { table, owner, isShown }: OldHandles,
  { id, handle, wasShown }: LeftHandle,
): Promise<void> {
  if (!wasShown) {
    const [kept] = await tx.query<Record<string, string>>(
      `select * from ${table} where tenant_id = $1 and handle = $2`,
      [handle],
    );
    const keptFor = kept?.[owner];
    if (keptFor !== undefined && keptFor !== id && (await isShown(tx, keptFor))) return;
  }
  await tx.remove(table, { handle });
  await tx.insert(table, { handle, [owner]: id });
}

/** Forgets that a resource once had the handle that it has again. */
export async function takeHandle(
  tx: TenantDatabase,
  { table, owner }: Pick<OldHandles, 'table' | 'owner'>,
  { id, handle }: Pick<LeftHandle, 'id' | 'handle'>,
): Promise<void> {
  await tx.remove(table, { handle, [owner]: id });
}
