/**
 * The engine's interface for other services (the control plane): API, document and database, without boxes, packages
 * and tenants.
 */

export { hostingSecretHeader } from './box/tenancy.ts';
export { type Tier, tiers } from './box/tier.ts';
export { connect, planning, poolSettings } from './db/connection.ts';
export { openDatabase } from './db/database.ts';
export { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded.ts';
export { isUniqueViolation } from './db/errors.ts';
export { newId } from './db/id.ts';
export { collectMigrations, migrate, migratorSettings } from './db/migrations.ts';
export { startPatience } from './db/start-patience.ts';
export { type Attempt, attemptOf, type Sent } from './delivery/attempt.ts';
export { type BackOff, secondsUntilRetry } from './delivery/backoff.ts';
export { openCircuits } from './delivery/circuit.ts';
export { leaseSeconds, selectDue } from './delivery/lease.ts';
export { type CheckUrl, openUrlChecks } from './delivery/lookups.ts';
export { send } from './delivery/send.ts';
export { generateSecret, signatureHeaders } from './delivery/signature.ts';
export { migrationOwners } from './engine/migrations.ts';
export * from './http/index.ts';
export { type MetricsReader, metricsAccess } from './operations/metrics/access.ts';
export { LabelledCounter } from './operations/metrics/counter.ts';
export { valueInTime } from './operations/metrics/database.ts';
export { family, type MetricFamily } from './operations/metrics/family.ts';
export { type Operations, startOperations } from './operations/operations.ts';
export { readTracing, type TracingSettings } from './operations/tracing/settings.ts';
export { loadPackages } from './package/load.ts';
export { eachRow } from './queries/each-row.ts';
export { paginate } from './queries/paging.ts';
export { runService } from './run-service.ts';
export { readSettings, readTrustProxy, serviceSettings } from './settings.ts';
export { applyMigrations } from './start-service/migrations.ts';
export type { ApiDescription, ApiGroup } from './start-service/service-api.ts';
export { type RunningApi, type ServiceOptions, startService } from './start-service/start-service.ts';
export { packageName, vendor } from './vendor.ts';
