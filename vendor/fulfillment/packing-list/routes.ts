/**
 * Routes of packing lists for staff.
 */
import { htmlMediaType, route } from '@carton/runtime';
import { readPackingList } from './page.ts';

export const readFulfillmentPackingList = route(
  {
    tag: 'Fulfillments',
    access: 'staff',
    method: 'get',
    path: '/admin/fulfillments/:id/packing-list',
    beyond: true,
    operationId: 'readFulfillmentPackingList',
    summary: 'Read the packing list of a fulfillment as a page to print',
    description: 'HTML without scripts, with the items and where they go. Prices are left out.',
    status: 200,
    mediaType: htmlMediaType,
  },
  ({ db, params }) => readPackingList(db, params.id),
);
