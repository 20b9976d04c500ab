/**
 * The API of a service: the application with its routes and those that every service has, and their OpenAPI document.
 */

import type { Knex } from 'knex';
import type Koa from 'koa';
import type { Logger } from 'pino';
import { collectMigrations, type MigrationOwner, pendingMigrations } from '../db/migrations.ts';
import { createApp } from '../http/app.ts';
import type { AppOptions } from '../http/app-options.ts';
import { completeRoutes } from '../http/complete.ts';
import type { Route } from '../http/route.ts';
import { serviceRoutes } from '../http/service-routes.ts';
import type { DocumentGroup } from '../openapi/document.ts';
import { explorer } from '../openapi/explorer.ts';
import { serveDocument } from '../openapi/served.ts';
import type { Operations } from '../operations/operations.ts';
import { problemOfDatabaseError } from '../queries/database-problems.ts';

/** A group of routes in the document. */
export interface ApiGroup<Services> extends Omit<DocumentGroup, 'declarations'> {
  routes: readonly Route<Services>[];
}

type SetHere = 'routes' | 'log' | 'before' | 'observeRequest' | 'observeRefusals' | 'observeWaits' | 'translateError';

export interface ApiDescription<Scope, Services, Caller> extends Omit<AppOptions<Scope, Services, Caller>, SetHere> {
  /** The service's name in a sentence: `box`. */
  name: string;
  title: string;
  /** Version of the contract. */
  version: string;
  /** One sentence about the service. */
  description: string;
  /** Words shown as badges on the page of the document. */
  badges: readonly string[];
  /** The fields of `/health` that describe the build. */
  about: Record<string, string>;
  /** Access kinds that may read the metrics. */
  metricsReaders: readonly string[];
  /** The database of requests. */
  knex: Knex;
  /** The owners of the database's migrations. */
  migrated: readonly MigrationOwner[];
  /** All groups of routes, including the service's own routes (`/health`, `/docs`). */
  groups(own: readonly Route<Services>[]): readonly ApiGroup<Services>[];
  /** The scope of a request for one of the service's own routes. */
  ownScope: Scope;
}

export interface Api<Services> {
  app: Koa;
  /** Creates the OpenAPI document. */
  document(): Promise<Record<string, unknown>>;
  /** All routes of the application. */
  routes: readonly Route<Services>[];
}

/** @throws Error naming a route that cannot be mounted */
export async function createApi<Scope, Services extends object, Caller>(
  api: ApiDescription<Scope, Services, Caller>,
  { log, operations }: { log: Logger; operations: Operations },
): Promise<Api<Services>> {
  const {
    name,
    about,
    title,
    version,
    description,
    badges,
    metricsReaders,
    knex,
    accessKinds,
    commonProblems,
    requestHeaders = [],
  } = api;
  const migrations = await collectMigrations(api.migrated);
  operations.watchPool('requests', knex);
  operations.watchMigrations(knex, migrations);
  const docs = explorer({ title, description, badges });
  const own = serviceRoutes<Services>({
    name,
    about,
    pendingMigrations: () => pendingMigrations(knex, migrations),
    isDraining: () => operations.draining,
    metrics: operations.metrics,
    metricsReaders,
    document: () => document.prepared(),
    page: docs.page,
  });
  const ownOperations = new Set(own.map(({ declaration }) => declaration.operationId));
  const groups = completeGroups(api.groups(own), api);
  const document = serveDocument(() => ({
    title,
    version,
    release: about.version,
    description,
    groups: groups.map((group) => ({ ...group, declarations: group.routes.map(({ declaration }) => declaration) })),
    accessKinds,
    commonProblems,
    // The scope of its own routes is not that of a request.
    requestHeaders: requestHeaders.map((each) => ({
      ...each,
      appliesTo: (declaration) => !ownOperations.has(declaration.operationId) && each.appliesTo(declaration),
    })),
  }));
  const routes = groups.flatMap((group) => group.routes);
  const app = createApp<Scope, Services, Caller>({
    ...api,
    routes,
    log,
    observeRequest: operations.observeRequest,
    observeRefusals: operations.observeRefusals,
    observeWaits: operations.observeWaits,
    translateError: problemOfDatabaseError,
    before: [docs.middleware],
    scope: (ctx, route) => (ownOperations.has(route.declaration.operationId) ? api.ownScope : api.scope(ctx, route)),
  });
  return { app, document: document.make, routes };
}

/** Adds what the engine adds to every declaration, so that it is documented too. */
function completeGroups<Scope, Services, Caller>(
  groups: readonly ApiGroup<Services>[],
  {
    accessKinds,
    runConsistently,
    rateLimits,
  }: Pick<AppOptions<Scope, Services, Caller>, 'accessKinds' | 'runConsistently' | 'rateLimits'>,
): ApiGroup<Services>[] {
  const routes = completeRoutes(
    groups.flatMap((group) => group.routes),
    { accessKinds, conditional: runConsistently !== undefined, rateLimited: rateLimits !== undefined },
  );
  return groups.map((group) => ({ ...group, routes: routes.splice(0, group.routes.length) }));
}
