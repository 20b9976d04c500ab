/**
 * Queries of `redirects`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { redirectExists } from '../problems.ts';
import { parsePath } from './paths.ts';
import type { RedirectRow } from './schemas.ts';

export const redirects = rows<RedirectRow>({
  table: 'redirects',
  noun: 'redirect',
  duplicates: { redirects_path: redirectExists },
  filters: { path: (query, value: string) => query.where('redirects.path', parsePath(value)?.path ?? value) },
});

/** Where a redirect leads. */
export type Destination = Pick<RedirectRow, 'target' | 'targetPath' | 'targetHost'>;

/** Lets the redirects to a path lead to its destination, at their own host unless that has one. */
export async function retarget(tx: TenantDatabase, path: string, to: Destination): Promise<void> {
  await tx.query(
    `update redirects
        set target = case when $4::text is null and target_host is not null then 'https://' || target_host else '' end
                     || $3,
            target_path = $5, target_host = coalesce($4, target_host), updated_at = now()
      where tenant_id = $1 and target_path = $2`,
    [path, to.target, to.targetHost, to.targetPath],
  );
}

export async function countRedirects(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ count: number }>('select count(*)::int as count from redirects where tenant_id = $1');
  return row?.count ?? 0;
}
