/**
 * The boxes of a customer as a whole: export and erasure, with their domains.
 */
import { eachRow } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { restDays } from './domains/claim.ts';
import { lockDomains } from './domains/store.ts';
import type { Box } from './store.ts';

/** All that is stored of a customer's boxes except their secrets, each with its domains. */
export async function* exportBoxes(db: Knex, customerId: string): AsyncGenerator<object> {
  const boxes = () =>
    db('boxes')
      .where({ customerId })
      .select('id', 'licenseId', 'name', 'backendUrl', 'frontendUrl', 'createdAt', 'updatedAt') as never;
  for await (const box of eachRow<Box>(boxes, 'boxes')) {
    const domains = await db('box_domains').where({ boxId: box.id }).orderBy('position').select('*');
    yield { ...box, domains: domains.map(({ customerId: _, boxId: __, ...domain }) => domain) };
  }
}

/**
 * Removes the boxes of a customer. Domains that were served rest under another name, as those that a customer gives up:
 * DNS may still lead to the vendor, so nobody else can have them at once. Their boxes stay, empty, until then.
 * @param name in place of the customer's id
 * @returns the boxes and domains that were removed, and the domains that rest
 */
export async function eraseBoxes(
  transaction: Knex.Transaction,
  customerId: string,
  name: string,
): Promise<{ boxes: number; domains: number; resting: number }> {
  await lockDomains(transaction);
  const domains = await transaction('box_domains').where({ customerId, state: 'pending', restsUntil: null }).delete();
  const resting = await transaction('box_domains')
    .where({ customerId })
    .update({
      customerId: name,
      state: 'resting',
      provedBy: null,
      proof: null,
      findings: null,
      claimEndsAt: null,
      stopsAt: null,
      checkedAt: null,
      nextCheckAt: null,
      restsUntil: transaction.raw('coalesce(rests_until, now() + make_interval(days => ?))', [restDays]),
    });
  const removed = await transaction('boxes')
    .where({ customerId })
    .whereRaw('not exists (select from box_domains where box_id = boxes.id)')
    .delete();
  const emptied = await transaction('boxes')
    .where({ customerId })
    .update({
      customerId: name,
      name: transaction.raw('id::text'),
      backendUrl: 'https://erased.invalid',
      frontendUrl: null,
      hostingSecret: null,
      licenseId: null,
      erasedAt: transaction.fn.now(),
    });
  return { boxes: removed + emptied, domains, resting };
}

/** Removes boxes of erased customers whose domains do not rest any more. Returns how many. */
export function removeErasedBoxes(db: Knex): Promise<number> {
  return db('boxes')
    .whereNotNull('erasedAt')
    .whereRaw('not exists (select from box_domains where box_id = boxes.id)')
    .delete();
}
