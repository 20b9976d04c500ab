/**
 * Exports for building an application of declared routes. Nothing here depends on boxes, packages or tenants.
 */

export { addressBlock } from './address.ts';
export { createApp } from './app.ts';
export type { AppOptions } from './app-options.ts';
export { type AccessKind, bearerToken, hashToken } from './credentials.ts';
export { baseOfDomain, isPublicSuffix, isReservedDomain, withNamesAbove } from './domain-names.ts';
export {
  checkRecord,
  DomainRecord,
  newProof,
  openResolver,
  type RecordFault,
  recordFaultCodes,
  recordOf,
} from './domain-proof.ts';
export type { RateLimiting } from './guesses.ts';
export { normalizeDomain, normalizeHost, wildcardOver } from './host.ts';
export type { IdempotentRunner } from './idempotency.ts';
export { decodeCursor, encodeCursor, type Page, pageOf, pageQuery } from './paging.ts';
export type { ConsistentRunner } from './preconditions.ts';
export {
  defineProblem,
  type FieldError,
  idempotencyConflict,
  invalidRequest,
  notFound,
  Problem,
  type ProblemDefinition,
  type ProblemExtras,
  type ProblemType,
  tooManyRequests,
} from './problems.ts';
export {
  noRateLimits,
  type RateClass,
  RateLimiter,
  type RateLimits,
} from './rate-limit.ts';
export { accessKindsOf, type PathParams, type Route, type RouteDeclaration, routeFor } from './route.ts';
export {
  changeOf,
  DateTime,
  nullable,
  object,
  oneOf,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  Uuid,
  withOptions,
} from './schemas.ts';
export { listen, type RunningServer } from './server.ts';
export type { Chunks } from './streamed.ts';
export type { ArrivingFile, FileDeclaration, UploadDeclaration, UploadedFile } from './upload.ts';
export { faults, matches } from './validation.ts';
