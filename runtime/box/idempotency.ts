/**
 * Where a box keeps Idempotency-Keys: a row in the same transaction as the work, by tenant and caller.
 */
import { type IdempotencyKeeper, idempotencyKeyLifetimeHours } from '../http/idempotency.ts';
import { idempotencyConflict } from '../http/problems.ts';
import type { BoxServices } from './services.ts';

interface KeptReply {
  fingerprint: string;
  status: number | null;
  body: string | null;
  headers: Record<string, string>;
}

/** Who sent the key: a key of one caller says nothing about another's. */
function callerOf({ staff, session }: BoxServices): string {
  if (staff) return `staff ${staff.id}`;
  return session?.memberId ? `member ${session.memberId}` : `session ${session?.begin() ?? ''}`;
}

export const keepIdempotent: IdempotencyKeeper<BoxServices> = (services, request, run) =>
  services.db.transaction(async (db) => {
    const place = [callerOf(services), request.operationId, request.key];
    await db.query(
      `delete from idempotency_keys where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4
         and created_at < now() - interval '${idempotencyKeyLifetimeHours} hours'`,
      place,
    );
    // A second request with the same key waits here for the first to end, then finds what it left.
    const inserted = await db.query(
      `insert into idempotency_keys (tenant_id, caller, operation_id, key, fingerprint)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning key`,
      [...place, request.fingerprint],
    );
    if (inserted.length > 0) {
      const reply = await run({ ...services, db });
      await db.query(
        `update idempotency_keys set status = $5, body = $6, headers = $7
          where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4`,
        [...place, reply.status, reply.body, reply.headers],
      );
      return { reply, replayed: false };
    }
    const [kept] = await db.query<KeptReply>(
      `select fingerprint, status, body, headers from idempotency_keys
        where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4`,
      place,
    );
    if (kept?.status == null || kept.fingerprint !== request.fingerprint) throw idempotencyConflict();
    return { reply: { status: kept.status, body: kept.body, headers: kept.headers }, replayed: true };
  });
