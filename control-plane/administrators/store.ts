/**
 * Queries of administrators and their secrets.
 */
import { hashToken, isUniqueViolation, newId, notFound, type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { Actor } from '../services.ts';
import { administratorNameTaken } from './problems.ts';
import type { Role } from './roles.ts';
import type { Administrator } from './schemas.ts';
import { generateSecret } from './secret.ts';

const columns = ['id', 'name', 'role', 'disabled', 'expiresAt', 'lastUsedAt', 'createdAt'];

export interface AdministratorTerms {
  role: Role;
  disabled: boolean;
  expiresAt: string | null;
}

export type AdministratorWithSecret = Administrator & { secret: string };

/**
 * Stores an administrator with a new secret, of which only the hash is stored.
 * @throws administrator_name_taken (409)
 */
export async function insertAdministrator(
  db: Knex,
  values: { name: string; role: Role; expiresAt: string | null },
): Promise<AdministratorWithSecret> {
  try {
    return await db.transaction(async (transaction) => {
      const [row] = await transaction('administrators')
        .insert({ id: newId(), ...values })
        .returning(columns);
      return { ...(row as Administrator), secret: await insertSecret(transaction, row.id) };
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'administrators_name')) throw error;
    throw administratorNameTaken(`There is an administrator named ${values.name}.`);
  }
}

async function insertSecret(db: Knex, administratorId: string): Promise<string> {
  const secret = generateSecret();
  await db('administrator_secrets').insert({ secretHash: hashToken(secret), administratorId });
  return secret;
}

/**
 * Gives an administrator a new secret. The one before it stays valid for the overlap, earlier ones end.
 * @throws not_found (404)
 */
export async function replaceSecret(
  transaction: Knex.Transaction,
  id: string,
  overlapHours: number,
): Promise<AdministratorWithSecret> {
  const row = await transaction('administrators').where({ id }).forUpdate().first(columns);
  if (!row) throw missing(id);
  const ofOne = () => transaction('administrator_secrets').where({ administratorId: id });
  await ofOne().whereNotNull('validUntil').delete();
  if (overlapHours === 0) await ofOne().delete();
  else await ofOne().update({ validUntil: transaction.raw('now() + make_interval(hours => ?)', [overlapHours]) });
  return { ...row, secret: await insertSecret(transaction, id) };
}

/**
 * Changes an administrator.
 * @throws not_found (404)
 */
export async function updateAdministrator(
  db: Knex,
  id: string,
  change: Partial<AdministratorTerms>,
): Promise<Administrator> {
  const [row] = await db('administrators').where({ id }).update(change).returning(columns);
  if (!row) throw missing(id);
  return row as Administrator;
}

/** @throws not_found (404) */
export async function deleteAdministrator(db: Knex, id: string): Promise<void> {
  if ((await db('administrators').where({ id }).delete()) === 0) throw missing(id);
}

/** @throws not_found (404) */
export async function findAdministrator(db: Knex, id: string): Promise<Administrator> {
  const row = await db('administrators').where({ id }).first(columns);
  if (!row) throw missing(id);
  return row;
}

function missing(id: string) {
  return notFound(`There is no administrator with the id ${id}.`);
}

/** Reads a page of administrators, newest first. */
export function listAdministrators(db: Knex, page: { limit: number; cursor?: string }): Promise<Page<Administrator>> {
  return paginate<Administrator>(db('administrators').select(columns) as never, 'administrators', page);
}

/**
 * Finds who sent a secret, and notes the use at most once a minute.
 * @returns null for an unknown secret, `ended` for one that is no longer accepted
 */
export async function findActor(db: Knex, secret: string): Promise<Actor | 'ended' | null> {
  const found = await db('administrator_secrets')
    .join('administrators', 'administrators.id', 'administrator_secrets.administratorId')
    .where({ secretHash: hashToken(secret) })
    .first(
      'administrators.id',
      'name',
      'role',
      db.raw(`not disabled and coalesce(least(expires_at, valid_until) > now(), true) as accepted`),
      db.raw(`coalesce(last_used_at < now() - interval '1 minute', true) as stale`),
    );
  if (!found) return null;
  const { id, name, role, accepted, stale } = found;
  if (!accepted) return 'ended';
  if (stale) await db('administrators').where({ id }).update({ lastUsedAt: db.fn.now() });
  return { id, name, role };
}
