/**
 * Queries of boxes.
 */
import { newId } from '@carton/runtime/service';
import type { Knex } from 'knex';

export interface Box {
  id: string;
  name: string;
  backendUrl: string;
  frontendUrl: string | null;
  createdAt: string;
  updatedAt: string;
}

/** Upserts a box by customer and name. The licence for which it counts stays the first. Returns its id. */
export async function saveBox(
  transaction: Knex.Transaction,
  box: { customerId: string; licenseId: string; name: string; backendUrl: string; frontendUrl: string | null },
): Promise<string> {
  const [row] = await transaction('boxes')
    .insert({ id: newId(), ...box })
    .onConflict(['customerId', 'name'])
    .merge({
      backendUrl: box.backendUrl,
      frontendUrl: box.frontendUrl,
      licenseId: transaction.raw('coalesce(boxes.license_id, excluded.license_id)'),
      updatedAt: transaction.fn.now(),
    })
    .returning('id');
  return row.id;
}

/** Finds a customer's box. */
export async function findBox(db: Knex, customerId: string, name: string): Promise<Box | null> {
  const box = await db('boxes')
    .where({ customerId, name })
    .first('id', 'name', 'backendUrl', 'frontendUrl', 'createdAt', 'updatedAt');
  return box ?? null;
}

/**
 * Finds the backend of the first of these domains that is served. With `withPending`, and if none is served, that of the
 * oldest claim of one.
 */
export async function findBackend(
  db: Knex,
  domains: readonly string[],
  withPending: boolean,
): Promise<{ domain: string; backendUrl: string } | null> {
  const served = await db('box_domains')
    .join('boxes', 'boxes.id', 'box_domains.boxId')
    .whereIn('box_domains.domain', [...domains])
    .where((either) => {
      either.whereIn('state', ['proved', 'failing']);
      if (withPending) either.orWhereRaw("(state = 'pending' and claim_ends_at > now())");
    })
    .orderByRaw("state = 'pending', array_position(?::text[], box_domains.domain), claim_ends_at", [[...domains]])
    .first('box_domains.domain', 'boxes.backendUrl');
  return served ?? null;
}
