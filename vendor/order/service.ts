/**
 * Reading orders.
 */
import { notFound, type Problem, type TenantDatabase } from '@carton/runtime';
import { type Order, orderOf } from './present.ts';
import { orders } from './store.ts';

export function unknownOrder(id: string): Problem {
  return notFound(`There is no order with the id ${id}.`);
}

/** Finds an order with its parts, in one statement; null for an unknown id. */
export async function findOrder(db: TenantDatabase, id: string): Promise<Order | null> {
  const row = await orders.find(db, id);
  return row && orderOf(row);
}

/** @throws not_found (404) */
export async function readOrder(db: TenantDatabase, id: string): Promise<Order> {
  return orderOf(await orders.require(db, id));
}
