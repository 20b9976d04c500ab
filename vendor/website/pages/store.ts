/**
 * Queries of `pages`.
 */
import { looksLikeId, rows, type TenantDatabase } from '@carton/runtime';
import { pageHandleTaken } from '../problems.ts';
import { type AdminPage, pageStatuses } from './schemas.ts';

export const pages = rows<AdminPage>({
  table: 'pages',
  noun: 'page',
  json: ['metadata'],
  duplicates: { pages_handle: pageHandleTaken },
  choices: { status: pageStatuses },
});

/** Whether shoppers see the row `pages`. */
export const visibleCondition = "status = 'published' and coalesce(publish_at <= now(), true)";

/** The time at which the row `pages` becomes visible; null for one that already is, or never will be. */
export const changesAt = "case when status = 'published' and publish_at > now() then publish_at end";

/** A visible page by its handle or id. */
export async function findVisiblePage(db: TenantDatabase, name: string): Promise<AdminPage | null> {
  const column = looksLikeId(name) ? 'id' : 'handle';
  const [row] = await db.query<AdminPage>(
    `select * from pages where tenant_id = $1 and ${column} = $2 and ${visibleCondition}`,
    [name],
  );
  return row ?? null;
}

export async function isVisible(db: TenantDatabase, id: string): Promise<boolean> {
  const text = `select 1 from pages where tenant_id = $1 and id = $2 and ${visibleCondition}`;
  return (await db.query(text, [id])).length > 0;
}

export async function countPages(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ count: number }>('select count(*)::int as count from pages where tenant_id = $1');
  return row?.count ?? 0;
}

/** Published pages whose time was reached and has not been announced, locked; those locked by others are left out. */
export async function lockDuePages(tx: TenantDatabase, limit: number): Promise<string[]> {
  const due = await tx.query<{ id: string }>(
    `select id from pages
      where tenant_id = $1 and status = 'published' and published_at is null and publish_at <= now()
      order by publish_at limit $2 for update skip locked`,
    [limit],
  );
  return due.map(({ id }) => id);
}

/**
 * Sets `published_at` of a page that is visible, and clears that of one that is not.
 * @returns the page if it became visible
 */
export async function markPublication(tx: TenantDatabase, id: string): Promise<AdminPage | null> {
  const [changed] = await tx.query<AdminPage>(
    `update pages set published_at = case when ${visibleCondition} then now() end, updated_at = now()
      where tenant_id = $1 and id = $2 and (${visibleCondition}) = (published_at is null) returning *`,
    [id],
  );
  return changed?.publishedAt ? changed : null;
}
