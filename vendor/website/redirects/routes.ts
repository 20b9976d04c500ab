/**
 * Routes of redirects for staff and for storefronts.
 */
import { notFound, resource, route } from '@carton/runtime';
import { redirectExists, redirectLimit, redirectLoop } from '../problems.ts';
import { CreateRedirect, Redirect, RedirectPage, RedirectQuery, ResolvedRedirect, ResolveQuery } from './schemas.ts';
import { createRedirect, resolve } from './service.ts';
import { redirects } from './store.ts';

const tag = 'Redirects';

export const adminRedirects = resource({
  tag,
  access: 'staff',
  path: '/admin/redirects',
  noun: 'redirect',
  rows: redirects,
  item: Redirect,
  list: { query: RedirectQuery, page: RedirectPage },
  create: {
    description:
      'A target that has a redirect is replaced by its end, and redirects to `path` lead to the new target, so none ' +
      'leads to another.',
    body: CreateRedirect,
    problems: [redirectExists, redirectLoop, redirectLimit],
    run: ({ db, body }) => createRedirect(db, body),
  },
  remove: {},
});

export const resolveRedirect = route(
  {
    tag,
    method: 'get',
    path: '/redirects/resolve',
    operationId: 'resolveRedirect',
    summary: 'Find where an old path leads',
    description: 'For a storefront that has no page at a path.',
    access: 'public',
    shared: true,
    query: ResolveQuery,
    status: 200,
    response: ResolvedRedirect,
    problems: [notFound],
  },
  ({ db, query }) => resolve(db, query.path),
);
