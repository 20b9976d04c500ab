/**
 * The Idempotency-Keys of a box, stored by tenant and caller.
 *
 * Work in one transaction stores its key there too: key, work and reply are committed together or not at all.
 *
 * Work in steps calls a service over the network. No row lock may be held during that call, and a rollback cannot undo
 * it. So the key is committed first, with a work id and a lease; then the steps, each in its own transaction; then the
 * reply. Wherever the process dies, it leaves a key without a reply: a retry gets 409 with Retry-After until the lease
 * expires, then resumes the work under the same id, which tells it what is already done. A rejection (a problem below
 * 500) means that nothing was done or is left over, so it deletes the key, as a rollback would; unless it asks for the same
 * request again (Retry-After), since its work may be in progress elsewhere. After that and any other failure the outcome at
 * the other side is unknown: the key and its work id stay, and a retry may start immediately.
 */
import { newId } from '../db/id.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { type IdempotentRequest, type IdempotentRunner, idempotencyKeyLifetimeHours } from '../http/idempotency.ts';
import type { Reply } from '../http/operation.ts';
import { idempotencyConflict, idempotencyKeyBusy, Problem } from '../http/problems.ts';
import type { RequestServices } from './services.ts';

interface StoredReply {
  fingerprint: string;
  status: number | null;
  body: string | null;
  headers: Record<string, string>;
}

/** The primary key of a stored reply, without the tenant, which `db` adds. */
type KeyPath = readonly [caller: string, operationId: string, key: string];
type Outcome = { reply: Reply; replayed: boolean };

/** Leases of dead processes expire after this time; live ones renew theirs with a heartbeat. */
const leaseSeconds = 15;
const heartbeatMilliseconds = 4_000;
const retryAfterSeconds = 2;

/** The caller who sent the key: callers do not share keys. */
function callerOf({ staff, session }: RequestServices): string {
  if (staff) return `staff ${staff.id}`;
  return session?.memberId ? `member ${session.memberId}` : `session ${session?.begin() ?? ''}`;
}

export const runIdempotently: IdempotentRunner<RequestServices> = async (services, request, run) => {
  const path: KeyPath = [callerOf(services), request.operationId, request.key];
  if (request.outsideTransaction) return runInSteps(services, path, request, run);
  return services.db.transaction(async (db) => {
    await deleteExpired(db, path);
    // A concurrent request with the same key waits here until the first one ends, then finds its reply.
    const inserted = await db.query(
      `insert into idempotency_keys (tenant_id, caller, operation_id, key, fingerprint)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning key`,
      [...path, request.fingerprint],
    );
    if (inserted.length === 0) return replay(db, path, request);
    const reply = await run({ ...services, db });
    await storeReply(db, path, reply);
    return { reply, replayed: false };
  });
};

async function runInSteps(
  services: RequestServices,
  path: KeyPath,
  request: IdempotentRequest,
  run: (services: RequestServices) => Promise<Reply>,
): Promise<Outcome> {
  const { db } = services;
  await deleteExpired(db, path);
  const workId = await claimKey(db, path, request);
  if (workId === null) return replay(db, path, request);
  const heartbeat = setInterval(() => renewLease(db, path, workId).catch(() => {}), heartbeatMilliseconds);
  try {
    const reply = await run({ ...services, workId });
    await storeReply(db, path, reply);
    return { reply, replayed: false };
  } catch (error) {
    const isRejected = error instanceof Problem && error.type.status < 500 && !('Retry-After' in error.headers);
    // If this write fails too, the lease expires by itself.
    await (isRejected ? deleteKey(db, path, workId) : endLease(db, path, workId)).catch(() => {});
    throw error;
  } finally {
    clearInterval(heartbeat);
  }
}

/**
 * Claims a new key, or one whose lease has expired.
 * @returns the work id; null when the key has a reply, a live lease or another request's fingerprint
 */
async function claimKey(
  db: TenantDatabase,
  path: KeyPath,
  { fingerprint }: Pick<IdempotentRequest, 'fingerprint'>,
): Promise<string | null> {
  const [claimed] = await db.query<{ workId: string }>(
    `insert into idempotency_keys as stored (tenant_id, caller, operation_id, key, fingerprint, work_id, busy_until)
     values ($1, $2, $3, $4, $5, $6, now() + interval '${leaseSeconds} seconds')
     on conflict (tenant_id, caller, operation_id, key) do update set busy_until = excluded.busy_until
      where stored.status is null and stored.busy_until <= now() and stored.fingerprint = excluded.fingerprint
     returning work_id`,
    [...path, fingerprint, newId()],
  );
  return claimed?.workId ?? null;
}

/** @throws idempotency_key_reused (409) for another request, idempotency_key_busy (409) while it is in progress */
async function replay(
  db: TenantDatabase,
  path: KeyPath,
  { fingerprint }: Pick<IdempotentRequest, 'fingerprint'>,
): Promise<Outcome> {
  const [stored] = await db.query<StoredReply>(
    `select fingerprint, status, body, headers from idempotency_keys
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4`,
    path,
  );
  if (stored && stored.fingerprint !== fingerprint) throw idempotencyConflict();
  if (stored?.status == null) {
    // A missing row means that the request in progress has just been rejected; a retry can then claim the key.
    throw idempotencyKeyBusy(undefined, { headers: { 'Retry-After': `${retryAfterSeconds}` } });
  }
  return { reply: { status: stored.status, body: stored.body, headers: stored.headers }, replayed: true };
}

async function storeReply(db: TenantDatabase, path: KeyPath, { status, body, headers }: Reply): Promise<void> {
  await db.query(
    `update idempotency_keys set status = $5, body = $6, headers = $7, busy_until = null
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4`,
    [...path, status, body, headers],
  );
}

async function deleteKey(db: TenantDatabase, path: KeyPath, workId: string): Promise<void> {
  await db.query(
    `delete from idempotency_keys
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4 and work_id = $5 and status is null`,
    [...path, workId],
  );
}

async function renewLease(db: TenantDatabase, path: KeyPath, workId: string): Promise<void> {
  await db.query(
    `update idempotency_keys set busy_until = now() + interval '${leaseSeconds} seconds'
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4 and work_id = $5 and status is null`,
    [...path, workId],
  );
}

async function endLease(db: TenantDatabase, path: KeyPath, workId: string): Promise<void> {
  await db.query(
    `update idempotency_keys set busy_until = now()
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4 and work_id = $5 and status is null`,
    [...path, workId],
  );
}

async function deleteExpired(db: TenantDatabase, path: KeyPath): Promise<void> {
  await db.query(
    `delete from idempotency_keys where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4
       and created_at < now() - interval '${idempotencyKeyLifetimeHours} hours'`,
    path,
  );
}
