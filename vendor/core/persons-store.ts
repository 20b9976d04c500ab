/**
 * Queries of what the engine stores of persons.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Removes the external ids of records that were deleted. */
export async function forgetExternalIds(tx: TenantDatabase, ids: readonly string[]): Promise<void> {
  await tx.query('update deletions set external_id = null where tenant_id = $1 and id = any($2::uuid[])', [ids]);
}

/**
 * Removes stored responses, and keeps their keys, so that repeating a request still has no second effect.
 * @param callers whose responses are removed
 * @param ids of records that other responses may mention
 */
export async function forgetResponses(
  tx: TenantDatabase,
  callers: readonly string[],
  ids: readonly string[],
): Promise<void> {
  await tx.query(
    `update idempotency_keys set body = null
      where tenant_id = $1 and body is not null
        and (caller = any($2::text[])
             or exists (select from unnest($3::text[]) as record (id) where strpos(body, record.id) > 0))`,
    [callers, ids],
  );
}
