/**
 * Queries of `redirects`.
 */
import { rows, type TenantDatabase } from '@carton/runtime';
import { redirectExists } from '../problems.ts';
import { type Address, parsePath } from './paths.ts';
import type { RedirectRow } from './schemas.ts';

export const redirects = rows<RedirectRow>({
  table: 'redirects',
  noun: 'redirect',
  duplicates: { redirects_path: redirectExists },
  filters: { path: (query, value: string) => query.where('redirects.path', parsePath(value)?.address ?? value) },
});

/** Where a redirect leads. */
export type Destination = Pick<RedirectRow, 'target' | 'targetPath' | 'targetHost'>;

/** The address of a target. */
export function addressOf({ target, targetPath }: Destination): Address {
  return parsePath(target.replace(/^https:\/\/[^/]+/, '')) ?? addressOfPath(targetPath);
}

/** The address of a path without a query. */
export function addressOfPath(path: string): Address {
  return { path, address: path, found: [path] };
}

/**
 * The redirect of an address: that with the most of its parameters, else that of its path. One that leads back to itself, as
 * they could be written before its parameters counted, is none.
 */
export async function findRedirect(
  db: TenantDatabase,
  { address, found: addresses }: Address,
): Promise<RedirectRow | null> {
  const found = await db.query<RedirectRow>(
    'select * from redirects where tenant_id = $1 and path = any($2::text[]) order by array_position($2::text[], path)',
    [addresses],
  );
  return found.find((each) => each.path === address || !addressOf(each).found.includes(each.path)) ?? null;
}

/** Lets the redirects to what finds an address lead to its destination, at their own host unless that has one. */
export async function retarget(tx: TenantDatabase, { path, address }: Address, to: Destination): Promise<void> {
  const leading = await tx.query<{ id: string } & Destination>(
    'select id, target, target_path from redirects where tenant_id = $1 and target_path = $2',
    [path],
  );
  const ids = leading.flatMap((each) => (addressOf(each).found.includes(address) ? [each.id] : []));
  if (ids.length === 0) return;
  await tx.query(
    `update redirects
        set target = case when $4::text is null and target_host is not null then 'https://' || target_host else '' end
                     || $3,
            target_path = $5, target_host = coalesce($4, target_host), updated_at = now()
      where tenant_id = $1 and id = any($2::uuid[])`,
    [ids, to.target, to.targetHost, to.targetPath],
  );
}

export async function countRedirects(db: TenantDatabase): Promise<number> {
  const [row] = await db.query<{ count: number }>('select count(*)::int as count from redirects where tenant_id = $1');
  return row?.count ?? 0;
}

/** Removes the redirects of addresses. */
export async function removeRedirects(tx: TenantDatabase, addresses: string[]): Promise<void> {
  await tx.remove('redirects', { path: addresses });
}
