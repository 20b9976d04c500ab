/**
 * The test helpers of all packages.
 */
export { SessionKeys } from '../box/session-keys.ts';
export { gatherExtensions } from '../extension/extension.ts';
export { shortName } from '../vendor.ts';
export { createTestBox, type TestBox, type TestBoxOptions, type TestTenant } from './box.ts';
export { type Answer, bodyOf, type Caller, callerOf, pointersOf, sessionHashOf } from './client.ts';
export {
  administer,
  administerAt,
  administrationUrl,
  createTestDatabase,
  type TestDatabase,
  urlOfDatabase,
} from './database.ts';
export { type CompleteDescription, type DescribedBox, describeBox } from './described-box.ts';
export { documentFaults, operationsOf, type TestDocument } from './document.ts';
export { differenceOf, referenceFaults, textOf } from './document-difference.ts';
export { eventsOf, eventTypesOf, payloadsOf, untilDelivered } from './events.ts';
export { exactly } from './exactly.ts';
export { extendBox } from './extend-box.ts';
export { showLogOfFailures } from './failures.ts';
export { temporaryFolder } from './folders.ts';
export { keepIndexes } from './indexes.ts';
export { lintDocuments } from './lint-documents.ts';
export { packagesOfTier, sourceRoot, withDependencies } from './packages.ts';
export { faultsOfPhrases } from './phrases.ts';
export { freePort } from './ports.ts';
export { processesWith, type RunningProcess } from './processes.ts';
export {
  type InstalledPostgres,
  installedPostgres,
  missingPostgres,
  missingPrograms,
  pathOf,
  refuseIfRequired,
} from './programs.ts';
export { raceRounds } from './race-rounds.ts';
export { openTestLog } from './recent.ts';
export { type RecordedEvent, recordEvents } from './recorded-events.ts';
export { countRoundTrips } from './round-trips.ts';
export { type S3Service, s3Account, s3ObjectSuffix, startS3Service } from './s3-service.ts';
export {
  type Sampled,
  type SampledStatement,
  type StatementSamples,
  statementsOfSamples,
} from './sampled-statements.ts';
export { createTemplate, dropTemplate, startTestServer } from './server.ts';
export { type OwnServer, startOwnServer } from './shared-server.ts';
export {
  type RunningSimulator,
  runSimulator,
  type SimulatedRequest,
  type SimulatedResponse,
  type SimulatorState,
  startSimulatorProcess,
  type WrongAnswers,
} from './simulated-service.ts';
export { startSlowServer } from './slow-server.ts';
export { statementsOf } from './statements.ts';
export { type OpenBox, type OpenedTenant, openTenant } from './tenant.ts';
export { testOfFile } from './test-of-file.ts';
export { compareTiers, type TierDifference } from './tier-difference.ts';
export { until, untilWaiting } from './waiting.ts';
export { type WrittenPackage, writePackage } from './written-package.ts';
