/**
 * Routes of things, for staff.
 */
import { integrationQuery, resource } from '@carton/runtime';
import { shapes } from './schemas.ts';
import { changeThing, createThing, deleteThing } from './service.ts';
import { things } from './store.ts';

export const adminThings = resource({
  path: '/admin/things',
  noun: 'thing',
  tag: 'Things',
  access: 'staff',
  item: shapes.Item,
  rows: things,
  list: { query: integrationQuery(), page: shapes.Page },
  create: { body: shapes.Create, run: ({ db, body }) => createThing(db, body) },
  read: {},
  change: { body: shapes.Change, run: ({ db, params, body }) => changeThing(db, params.id, body) },
  remove: { run: ({ db, params }) => deleteThing(db, params.id) },
});
