/**
 * Schemas of download reports (contract, TelemetryDownloadDto).
 */
import {
  DateTime,
  nullable,
  object,
  oneOf,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime/service';
import { CustomerId, PackageName, Tier, VersionText } from '../schemas.ts';

export const Outcome = oneOf(['allowed', 'denied'], {
  description: 'Whether the registry served the package or denied the download',
});

export const TelemetryDownloadDto = object(
  {
    customerId: CustomerId,
    tier: Tier,
    packageName: PackageName,
    version: Type.Optional(VersionText),
    outcome: Outcome,
  },
  { $id: 'TelemetryDownloadDto' },
);
export type DownloadReport = Static<typeof TelemetryDownloadDto>;

/** The most reports in a batch. */
export const maxBatch = 500;

const BatchKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  description: 'The idempotency key of the report, also if it was sent singly before',
  examples: ['7f1c2b1e-6a55-4c0e-9d8e-3f6a52a1c001'],
});

const BatchedReport = object(
  {
    idempotencyKey: BatchKey,
    // A registry whose clock is wrong must not lose its reports.
    downloadedAt: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'When the package was downloaded (RFC 3339). What is no time, is before 2020 or in the future counts as the time of arrival',
        examples: ['2026-03-01T12:00:00.000Z'],
      }),
    ),
    report: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'A TelemetryDownloadDto. It is checked by itself: an invalid one does not affect the others',
    }),
  },
  { $id: 'BatchedReport' },
);

export const DownloadBatch = object(
  { reports: Type.Array(BatchedReport, { minItems: 1, maxItems: maxBatch }) },
  { $id: 'DownloadBatch' },
);

export const DownloadBatchResult = object(
  {
    outcomes: Type.Array(
      object({
        idempotencyKey: BatchKey,
        outcome: oneOf(['stored', 'repeated', 'discarded', 'rejected'], {
          description:
            '`repeated` was stored before; `discarded` is of a customer who was erased; `rejected` is not stored, and will not be when it is sent again',
        }),
        detail: withOptions(nullable(Type.String()), { description: 'Why it was rejected' }),
      }),
      { description: 'One for each report, in their order' },
    ),
  },
  { $id: 'DownloadBatchResult' },
);
export type DownloadBatchResult = Static<typeof DownloadBatchResult>;

export const Download = object(
  {
    id: Uuid,
    customerId: CustomerId,
    tier: Tier,
    packageName: PackageName,
    version: nullable(VersionText),
    outcome: Outcome,
    downloadedAt: withOptions(DateTime, {
      description: 'When the package was downloaded; for a report that was sent singly, when it arrived',
    }),
    createdAt: withOptions(DateTime, { description: 'When the report was stored' }),
  },
  { $id: 'Download' },
);
export type Download = Static<typeof Download>;
const Day = Type.String({ format: 'date', description: 'A day in UTC', examples: ['2026-11-20'] });

/** What a search of downloads can filter by, besides time. */
const filters = {
  customerId: Type.Optional(CustomerId),
  packageName: Type.Optional(PackageName),
  version: Type.Optional(VersionText),
  outcome: Type.Optional(Outcome),
  tier: Type.Optional(Tier),
};
export const reportFilters = { ...filters, from: Type.Optional(DateTime), to: Type.Optional(DateTime) };
export const rollupFilters = { ...filters, from: Type.Optional(Day), to: Type.Optional(Day) };

export const Rollup = object(
  {
    id: Uuid,
    day: Day,
    customerId: CustomerId,
    tier: Tier,
    packageName: PackageName,
    version: nullable(VersionText),
    outcome: Outcome,
    count: Type.Integer({ minimum: 1, description: 'How many downloads' }),
  },
  { $id: 'DownloadRollup' },
);
export type Rollup = Static<typeof Rollup>;
export const RollupPage = pageOf(Rollup, 'DownloadRollupPage');

export const DownloadPage = pageOf(Download, 'DownloadPage');
