/**
 * Routes of pages for staff and for shoppers.
 */
import { HandleOrId, resource, tooCostly } from '@carton/runtime';
import { pageHandleTaken, pageLimit } from '../problems.ts';
import { AdminPageQuery, shapes, WebPage } from './schemas.ts';
import { changePage, createPage, readVisiblePage } from './service.ts';
import { pages } from './store.ts';

const tag = 'Pages';

export const adminPages = resource({
  tag,
  access: 'staff',
  path: '/admin/pages',
  noun: 'page',
  rows: pages,
  item: shapes.Item,
  list: { query: AdminPageQuery, page: shapes.Page },
  create: {
    body: shapes.Create,
    problems: [pageHandleTaken, pageLimit, tooCostly],
    run: ({ db, body }) => createPage(db, body),
  },
  read: {},
  change: {
    summary: 'Change, publish or withdraw a page',
    body: shapes.Change,
    problems: [pageHandleTaken, tooCostly],
    run: ({ db, params, body }) => changePage(db, params.id, body),
  },
  remove: {},
});

export const readPage = resource({
  tag,
  access: 'public',
  path: '/pages',
  noun: 'page',
  item: WebPage,
  read: {
    summary: 'Read a page by its handle or id',
    shared: true,
    params: HandleOrId('about-us'),
    run: ({ db, params }) => readVisiblePage(db, params.handle),
  },
});
