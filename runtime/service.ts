/**
 * What another service of the vendor's (the control plane) builds its API, document and database with:
 * everything of the engine that knows nothing of boxes, packages or tenants.
 */
export { camelCaseRow, connect, problemOfDatabaseError } from './db/connection.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded.ts';
export { newId } from './db/id.ts';
export { collectMigrations, migrate, migratorSettings, pendingMigrations } from './db/migrations.ts';
export * from './http/index.ts';
export { createDocument } from './openapi/document.ts';
export { explorer } from './openapi/explorer.ts';
export { vendor } from './vendor.ts';
