/**
 * The engine's interface for packages.
 */

export { type Job, job, renewJob } from './background/job.ts';
export { collationSql, type LanguageIndex, languageIndexes, languageIndexName } from './background/language-indexes.ts';
export { type AccessOptions, accessKinds } from './box/access.ts';
export type { BoxAccessKind } from './box/callers.ts';
export { dataFolderOf } from './box/data-folder.ts';
export { type MemberAuthenticator, memberAuthenticators } from './box/members.ts';
export {
  type Box,
  type BoxServices,
  type RequestClient,
  route,
  type ServicesFor,
  withOverrides,
} from './box/services.ts';
export { type StorefrontKeys, storefrontKeys, storefrontPermission } from './box/shopper-address.ts';
export type { MemberSession, ShopperSession } from './box/shopper-session.ts';
export type { StaffCaller } from './box/staff-caller.ts';
export { issueStamp, readStamp } from './box/stamps.ts';
export { type Tenant, type TenantScope, tenantDirectories, tenantStatuses } from './box/tenancy.ts';
export { type Tier, tiers } from './box/tier.ts';
export { type SessionData, sessionData } from './box/unsigned-sessions.ts';
export {
  type ComputeTask,
  compute,
  computeAlone,
  computeProcesses,
  type LargeComputeTask,
  tooCostly,
} from './compute/compute.ts';
export { pauseForOthers, runInParts } from './compute/parts.ts';
export { sanitizeRichText, withSanitizedDescription } from './compute/rich-text.ts';
export { Turns } from './compute/turns.ts';
export { hasPostalCodes, hasProvince, needsCity, needsProvince, requireCity } from './country/address-needs.ts';
export { Country, countryMeaning, countryName, isCountry } from './country/country.ts';
export { knownProvinceKey } from './country/known-provinces.ts';
export { countryCodeOf } from './country/names.ts';
export { placedProvince } from './country/placed-province.ts';
export { isPostalBeginning } from './country/postal-beginnings.ts';
export {
  dividedCode,
  isPostalCode,
  otherCountryOfCode,
  postalForms,
  printedCode,
  withoutPostalCountry,
} from './country/postal-codes.ts';
export { type PostalAddress, postalLines } from './country/postal-lines.ts';
export { otherProvinceOfCode } from './country/postal-provinces.ts';
export {
  isProvince,
  isUndecided,
  levelOf,
  type Province,
  provinceKey,
  provinceLine,
  provincesOf,
  storedProvinces,
} from './country/provinces.ts';
export { memberStateNumber, prefixOfTaxNumber, TaxNumber, writtenTaxNumber } from './country/tax-numbers.ts';
export { isMemberState, type VatAddress, vatCountryOf, vatPlaceOf } from './country/vat-territory.ts';
export { type Actor, actorTypes, type Change } from './db/changes.ts';
export { toCamelCase } from './db/connection.ts';
export type { Database } from './db/database.ts';
export { isForeignKeyViolation, isUniqueViolation } from './db/errors.ts';
export { type GoodsRows, goodsRows } from './db/goods.ts';
export { firstIdAt, newId } from './db/id.ts';
export { lockFor } from './db/lock-for.ts';
export { keepsReferenceData, referenceQuery, referenceVersion } from './db/reference-data.ts';
export { replaceRows } from './db/replace-rows.ts';
export { runConcurrently } from './db/run-concurrently.ts';
export { changeListeners, json, recordDeletions, type TenantDatabase } from './db/tenant-database.ts';
export { errorText } from './delivery/attempt.ts';
export { openCircuits } from './delivery/circuit.ts';
export { deleteOldRows, retention } from './engine/retention.ts';
export { eventDeliveryRoutes } from './engine/routes.ts';
export { type ExportedTable, exportTenantRows, listAppliedMigrations } from './engine/tenant-export.ts';
export { type RemovalOptions, removeTenantRows } from './engine/tenant-removal.ts';
export { defineEvent, type EventDefinition } from './events/event.ts';
export { insertEvent, outboxRow, publish, publishRow, type Resource, wakeBackground } from './events/outbox.ts';
export { type ResourceEvents, resourceEvents } from './events/resource-events.ts';
export {
  type DeliveredEvent,
  type DispatchedEvent,
  type Retries,
  type Subscriber,
  subscriber,
} from './events/subscriber.ts';
export { type ExtensionPoint, extensionPoint, type HasExtensions, onceForBox } from './extension/extension.ts';
export { addressBlock } from './http/address.ts';
export { isCampaignParameter, isOnlyCampaignParameter } from './http/campaign-parameters.ts';
export { type AccessKind, bearerToken, hashToken } from './http/credentials.ts';
export { baseOfDomain, isPublicSuffix, isReservedDomain, withNamesAbove } from './http/domain-names.ts';
export { checkRecord, DomainRecord, newProof, openResolver, recordFaultCodes, recordOf } from './http/domain-proof.ts';
export { parseEmail } from './http/emails.ts';
export type { ByteRange, FileContent } from './http/file-content.ts';
export { normalizeDomain, normalizeHost, wildcardOver } from './http/host.ts';
export { type HtmlDocument, htmlMediaType } from './http/html-document.ts';
export type { IfMatch } from './http/if-match.ts';
export { parseInstant } from './http/instants.ts';
export {
  type Deletion,
  ExternalId,
  externalFields,
  externalIdTaken,
  integrationPageOf,
  integrationQuery,
  newExternalFields,
  updatedAfterQuery,
} from './http/integration.ts';
export {
  decodeCursor,
  encodeCursor,
  maxPageSize,
  type Page,
  pageOf,
  pageOfRows,
  pageQuery,
  sortOfCursor,
} from './http/paging.ts';
export {
  bodyTooLarge,
  defineProblem,
  emptyPeriod,
  type FieldError,
  forbidden,
  invalidField,
  invalidRequest,
  notFound,
  Problem,
  type ProblemDefinition,
  type ProblemExtras,
  type ProblemType,
  tooManyRequests,
  unauthenticated,
  unavailable,
  unsupportedFileType,
} from './http/problems.ts';
export { maxDescription, newRichText, richText } from './http/rich-text.ts';
export {
  changeOf,
  DateTime,
  Email,
  humanLines,
  humanText,
  KnownEmail,
  nullable,
  object,
  oneOf,
  RawBody,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
  timestamps,
  trimmed,
  Uuid,
  withOptions,
} from './http/schemas.ts';
export { type Chunks, TaggedChunks } from './http/streamed.ts';
export { distinctTags, Tag, tagKeysOf } from './http/tags.ts';
export type { ArrivingFile, FileDeclaration, UploadDeclaration, UploadedFile } from './http/upload.ts';
export { faults } from './http/validation.ts';
export { foldCapitals, foldCase, withoutInvisible, writtenLine, writtenText } from './http/written.ts';
export { dateTimeFormat, displayNames, numberFormat } from './intl/formats.ts';
export { type InLanguages, inLanguages, type Language, languages } from './intl/languages.ts';
export {
  directionOf,
  formatsFor,
  languageOf,
  localeOfTexts,
  type Translation,
  type Translations,
  translationFor,
} from './intl/translations.ts';
export { tailoredCollation, tailoredCollations } from './locale/collation.ts';
export { Locale } from './locale/locale.ts';
export { Phone, writtenPhone } from './locale/phone.ts';
export { preferredLocales } from './locale/preferred.ts';
export { TimeZone } from './locale/time-zone.ts';
export { type MailGuest, type MailGuestFinder, mailGuests, plausibleName, withoutLinks } from './mails/guests.ts';
export { fullStop, greetingTo, mailTexts, type TranslatedTexts, tokenLabel, validUntil } from './mails/phrases.ts';
export {
  type ComposedMail,
  defineMail,
  type MailEvent,
  type MailTemplate,
  type MailTexts,
  mailTemplates,
} from './mails/template.ts';
export { Currency } from './money/currency.ts';
export { formatMoney } from './money/format.ts';
export { isCurrency, minorUnitDigits } from './money/minor-units.ts';
export {
  Amount,
  allocate,
  allocateByFirst,
  divideRounded,
  hundredPercent,
  Money,
  type MoneyValue,
  money,
  percentOf,
  percentWithin,
  type Rounding,
  roundings,
  scalePercent,
} from './money/money.ts';
export { readAccountsFile } from './package/accounts-file.ts';
export { definePackage, type PackageDefinition } from './package/define.ts';
export { type PackageSettings, packageSettings } from './package/settings.ts';
export { Html, type HtmlValue, html } from './pages/html.ts';
export { type PageContent, renderPage } from './pages/page.ts';
export { fillPhrase } from './pages/phrases.ts';
export {
  type EmailProofStep,
  emailProofs,
  logInMember,
  type MemberLogIn,
  type MemberLogInStep,
  type MemberTaxExemption,
  type MemberTaxNumber,
  memberLogIns,
  memberTaxExemptions,
  memberTaxNumbers,
  type ProvedEmail,
  proveEmail,
} from './persons/log-in.ts';
export {
  type Person,
  type PersonalColumns,
  type PersonalData,
  personalData,
  type Subject,
  type Traces,
} from './persons/personal-data.ts';
export { type ExportSection, erasePerson, erasureHindered, exportPerson, personalDataOf } from './persons/rights.ts';
export { ActedBy, type ActorColumns, actedBy, actorColumns, actorOf, actorValues } from './queries/acted-by.ts';
export { eachRow } from './queries/each-row.ts';
export { foldedCase, foldText } from './queries/folded.ts';
export type { IntegrationPage } from './queries/incremental-reads.ts';
export { isOneWord, maxWordLength, plainWords, searchedForm, selectWords, wordBeginsWith } from './queries/words.ts';
export type { ListQuery, Rows, StoredRow } from './resource/declared-rows.ts';
export {
  freeHandle,
  Handle,
  HandleOrId,
  handleFromTitle,
  handleOfCopy,
  handleTakenBy,
  looksLikeId,
} from './resource/handles.ts';
export { byOldHandle, leaveHandle, type OldHandles, takeHandle } from './resource/old-handles.ts';
export { publishedWrites } from './resource/published-writes.ts';
export { resource } from './resource/resource.ts';
export { rows } from './resource/rows.ts';
export { shapesOf } from './resource/shapes.ts';
export { callService, type ServiceCall } from './services/call.ts';
export { isServiceRefusal, ServiceError, type ServiceFailure } from './services/errors.ts';
export { requestJson, type ServiceRequest } from './services/request.ts';
export { storableText } from './services/texts.ts';
export {
  type AddressesVersion,
  addressesByHandle,
  everyAddress,
  type StorefrontAddress,
  type StorefrontAddresses,
  storefrontAddresses,
} from './storefront/addresses.ts';
export {
  type AddressMove,
  type AddressMoveListener,
  addressMoveListeners,
  moveAddress,
} from './storefront/moves.ts';
export {
  type StorefrontTarget,
  type StorefrontTargets,
  storefrontTargets,
  targetsByHandle,
} from './storefront/targets.ts';
export { packageName, vendor } from './vendor.ts';
