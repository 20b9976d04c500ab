/**
 * Queries of number sequences.
 */
import type { TenantDatabase } from '@carton/runtime';

/** Locks a sequence that begins after `start` until the transaction ends, without drawing a number. */
export async function lockSequence(db: TenantDatabase, name: string, start: number): Promise<void> {
  const locked = await db.query('select 1 from number_sequences where tenant_id = $1 and name = $2 for update', [name]);
  if (locked.length > 0) return;
  // Before its first number. The update changes nothing, and waits for who has drawn it meanwhile.
  await db.query(
    `insert into number_sequences (tenant_id, name, last_value) values ($1, $2, $3::bigint)
     on conflict (tenant_id, name) do update set last_value = number_sequences.last_value`,
    [name, start],
  );
}

/**
 * Draws the next number of a sequence that begins after `start`. The sequence stays locked until the transaction ends,
 * so a rollback leaves no gap.
 */
export async function drawNumber(db: TenantDatabase, name: string, start: number): Promise<number> {
  const [row] = await db.query<{ lastValue: number }>(
    `insert into number_sequences (tenant_id, name, last_value) values ($1, $2, $3::bigint + 1)
     on conflict (tenant_id, name) do update set last_value = number_sequences.last_value + 1
     returning last_value`,
    [name, start],
  );
  return (row as { lastValue: number }).lastValue;
}
