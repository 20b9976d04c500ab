/**
 * Routes of disputes for staff.
 */
import { resource } from '@carton/runtime';
import { Dispute, DisputePage, DisputeQuery } from './schemas.ts';
import { listDisputes, readDispute } from './store.ts';

export const adminDisputes = resource({
  tag: 'Payments',
  access: 'staff',
  path: '/admin/disputes',
  noun: 'dispute',
  item: Dispute,
  beyond: true,
  list: { query: DisputeQuery, page: DisputePage, run: ({ db, query }) => listDisputes(db, query) },
  read: { run: ({ db, params }) => readDispute(db, params.id) },
});
