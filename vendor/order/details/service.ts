/**
 * Changes by staff that no state depends on: details of the shopper, tags, external data, archiving.
 */
import { distinctTags, publish, type TenantDatabase, writtenPhone, writtenText } from '@carton/runtime';
import { orderUpdated } from '../events.ts';
import { type Order, payloadOfOrder } from '../present.ts';
import { rewriteWords } from '../search/words-store.ts';
import { readOrder, unknownOrder } from '../service.ts';
import { lockOrder } from '../store.ts';
import { insertOrderEvent } from '../timeline/store.ts';
import { writtenAddress } from './addresses.ts';
import type { ChangeOrder } from './schemas.ts';
import { putAddress, putArchivedAt, putTags, updateDetails } from './store.ts';

/** A detail as it is stored; undefined for one that does not change. */
function written(text: string | null | undefined): string | null | undefined {
  return text === undefined ? undefined : writtenText(text);
}

/** @throws not_found (404) */
export async function changeOrder(db: TenantDatabase, id: string, patch: ChangeOrder): Promise<Order> {
  const { customer = {}, externalId, metadata } = patch;
  const tags = patch.tags && distinctTags(patch.tags);
  return db.transaction(async (tx) => {
    const { email, name: customerName, phone, address, billing } = customer;
    const number = phone === undefined ? undefined : writtenPhone(phone);
    const details = { email, customerName: written(customerName), phone: number, tags, externalId, metadata };
    if (!(await updateDetails(tx, id, details))) throw unknownOrder(id);
    if (address !== undefined) await putAddress(tx, id, 'shipping', writtenAddress(address));
    if (billing !== undefined) await putAddress(tx, id, 'billing', writtenAddress(billing));
    if (tags !== undefined) await putTags(tx, id, tags);
    if (email !== undefined || customerName !== undefined) await rewriteWords(tx, [id]);
    const { customer: _, ...own } = patch;
    const names = [...Object.keys(customer), ...Object.keys(own)];
    await insertOrderEvent(tx, id, 'updated', `Changed: ${names.join(', ')}`);
    const order = await readOrder(tx, id);
    await publish(tx, orderUpdated, { type: 'order', id }, payloadOfOrder(order));
    return order;
  });
}

/** Archives an order, whatever its states are; a no-op if it is archived already. @throws not_found (404) */
export function archiveOrder(db: TenantDatabase, id: string): Promise<Order> {
  return setArchived(db, id, true);
}

/** Unarchives an order; a no-op if it is not archived. @throws not_found (404) */
export function unarchiveOrder(db: TenantDatabase, id: string): Promise<Order> {
  return setArchived(db, id, false);
}

function setArchived(db: TenantDatabase, id: string, archived: boolean): Promise<Order> {
  return db.transaction(async (tx) => {
    if (!(await lockOrder(tx, id))) throw unknownOrder(id);
    const before = await readOrder(tx, id);
    if ((before.archivedAt !== null) === archived) return before;
    await putArchivedAt(tx, id, archived ? new Date() : null);
    await insertOrderEvent(tx, id, archived ? 'archived' : 'unarchived', archived ? 'Archived' : 'Unarchived');
    const order = await readOrder(tx, id);
    await publish(tx, orderUpdated, { type: 'order', id }, payloadOfOrder(order));
    return order;
  });
}
