/**
 * Parcels for the members who ordered them.
 */
import { findOrder, unknownOrder } from '@carton/order';
import { route, type TenantDatabase } from '@carton/runtime';
import { MemberFulfillments } from './schemas.ts';
import { fulfillments, withItems } from './store.ts';

/** More than an order has. */
const maxParcels = 1000;

export const listMemberFulfillments = route(
  {
    method: 'get',
    path: '/member/orders/:id/fulfillments',
    operationId: 'listMemberFulfillments',
    tag: 'Member',
    summary: 'List the parcels of one of your orders with their tracking links',
    description: 'Without those that were canceled.',
    access: 'member',
    status: 200,
    response: MemberFulfillments,
  },
  ({ db, session, params }) => listOwn(db, session.memberId, params.id),
);

async function listOwn(db: TenantDatabase, memberId: string, orderId: string) {
  const order = await findOrder(db, orderId);
  if (order?.memberId !== memberId) throw unknownOrder(orderId);
  const found = await fulfillments.findAllBy(db, { orderId }, maxParcels);
  const parcels = found.filter(({ status }) => status !== 'canceled').sort((one, other) => one.number - other.number);
  return { items: await withItems(db, parcels) };
}
