/**
 * Where a box keeps Idempotency-Keys, by tenant and caller.
 *
 * Work of one transaction is kept in it: key, work and reply are there together or not at all.
 *
 * Work in steps calls a service over the network, and no row may wait for that, nor can a rollback undo it. So the key
 * is committed first, with an id for the work and a time until which it is being worked on; then the steps, each
 * committed by itself; then the reply. Whatever line the process dies at, what is left is a key without a reply: a
 * repetition is told to wait (409, Retry-After) until that time is over, then takes the work up under the same id and
 * finds by it what is done already. A refusal (a problem below 500) says that nothing was done or is left, so it frees
 * the key, as a rollback does. Any other failure leaves open what the other side did: the key keeps its work's id, and
 * the next try may begin at once.
 */
import { newId } from '../db/id.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { type IdempotentRequest, type IdempotentRunner, idempotencyKeyLifetimeHours } from '../http/idempotency.ts';
import type { Reply } from '../http/operation.ts';
import { idempotencyConflict, idempotencyKeyBusy, Problem } from '../http/problems.ts';
import type { RequestServices } from './services.ts';

interface KeptReply {
  fingerprint: string;
  status: number | null;
  body: string | null;
  headers: Record<string, string>;
}

/** Tenant (by `db`), caller, operation and key: what a kept reply is found by. */
type Place = readonly [caller: string, operationId: string, key: string];
type Answer = { reply: Reply; replayed: boolean };

/**
 * What a process that died was at is free again this soon; one that lives says so often enough for it not to be taken
 * for dead.
 */
const busySeconds = 15;
const sayingEveryMilliseconds = 4_000;
const retryAfterSeconds = 2;

/** Who sent the key: a key of one caller says nothing about another's. */
function callerOf({ staff, session }: RequestServices): string {
  if (staff) return `staff ${staff.id}`;
  return session?.memberId ? `member ${session.memberId}` : `session ${session?.begin() ?? ''}`;
}

export const runIdempotently: IdempotentRunner<RequestServices> = async (services, request, run) => {
  const place: Place = [callerOf(services), request.operationId, request.key];
  if (request.outsideTransaction) return keepInSteps(services, place, request, run);
  return services.db.transaction(async (db) => {
    await removeExpired(db, place);
    // A second request with the same key waits here for the first to end, then finds what it left.
    const inserted = await db.query(
      `insert into idempotency_keys (tenant_id, caller, operation_id, key, fingerprint)
       values ($1, $2, $3, $4, $5) on conflict do nothing returning key`,
      [...place, request.fingerprint],
    );
    if (inserted.length === 0) return replay(db, place, request);
    const reply = await run({ ...services, db });
    await keepReply(db, place, reply);
    return { reply, replayed: false };
  });
};

async function keepInSteps(
  services: RequestServices,
  place: Place,
  request: IdempotentRequest,
  run: (services: RequestServices) => Promise<Reply>,
): Promise<Answer> {
  const { db } = services;
  await removeExpired(db, place);
  const workId = await takeUp(db, place, request);
  if (workId === null) return replay(db, place, request);
  const saying = setInterval(() => stayBusy(db, place, workId).catch(() => {}), sayingEveryMilliseconds);
  try {
    const reply = await run({ ...services, workId });
    await keepReply(db, place, reply);
    return { reply, replayed: false };
  } catch (error) {
    const refused = error instanceof Problem && error.type.status < 500;
    // If this cannot be written either, the time that the key is busy passes.
    await (refused ? free(db, place, workId) : pause(db, place, workId)).catch(() => {});
    throw error;
  } finally {
    clearInterval(saying);
  }
}

/** Begins the work of a key, or takes up what nobody works on any more; answers the work's id, null when neither. */
async function takeUp(
  db: TenantDatabase,
  place: Place,
  { fingerprint }: Pick<IdempotentRequest, 'fingerprint'>,
): Promise<string | null> {
  const [taken] = await db.query<{ workId: string }>(
    `insert into idempotency_keys as kept (tenant_id, caller, operation_id, key, fingerprint, work_id, busy_until)
     values ($1, $2, $3, $4, $5, $6, now() + interval '${busySeconds} seconds')
     on conflict (tenant_id, caller, operation_id, key) do update set busy_until = excluded.busy_until
      where kept.status is null and kept.busy_until <= now() and kept.fingerprint = excluded.fingerprint
     returning work_id`,
    [...place, fingerprint, newId()],
  );
  return taken?.workId ?? null;
}

/** @throws idempotency_key_reused (409) for another request, idempotency_key_busy (409) while it is worked on */
async function replay(
  db: TenantDatabase,
  place: Place,
  { fingerprint }: Pick<IdempotentRequest, 'fingerprint'>,
): Promise<Answer> {
  const [kept] = await db.query<KeptReply>(
    `select fingerprint, status, body, headers from idempotency_keys
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4`,
    place,
  );
  if (kept && kept.fingerprint !== fingerprint) throw idempotencyConflict();
  // Not there: the one that was worked on has just been refused, so the key is free.
  if (kept?.status == null) throw idempotencyKeyBusy(undefined, { headers: { 'Retry-After': `${retryAfterSeconds}` } });
  return { reply: { status: kept.status, body: kept.body, headers: kept.headers }, replayed: true };
}

async function keepReply(db: TenantDatabase, place: Place, { status, body, headers }: Reply): Promise<void> {
  await db.query(
    `update idempotency_keys set status = $5, body = $6, headers = $7, busy_until = null
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4`,
    [...place, status, body, headers],
  );
}

async function free(db: TenantDatabase, place: Place, workId: string): Promise<void> {
  await db.query(
    `delete from idempotency_keys
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4 and work_id = $5 and status is null`,
    [...place, workId],
  );
}

async function stayBusy(db: TenantDatabase, place: Place, workId: string): Promise<void> {
  await db.query(
    `update idempotency_keys set busy_until = now() + interval '${busySeconds} seconds'
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4 and work_id = $5 and status is null`,
    [...place, workId],
  );
}

async function pause(db: TenantDatabase, place: Place, workId: string): Promise<void> {
  await db.query(
    `update idempotency_keys set busy_until = now()
      where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4 and work_id = $5 and status is null`,
    [...place, workId],
  );
}

async function removeExpired(db: TenantDatabase, place: Place): Promise<void> {
  await db.query(
    `delete from idempotency_keys where tenant_id = $1 and caller = $2 and operation_id = $3 and key = $4
       and created_at < now() - interval '${idempotencyKeyLifetimeHours} hours'`,
    place,
  );
}
