/**
 * Schemas of what the vendor asks about customers.
 */
import {
  DateTime,
  nullable,
  object,
  oneOf,
  pageOf,
  pageQuery,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime/service';
import { Channel, Version } from '../releases/schemas.ts';
import { CustomerId, PackageName, Tier, VersionText } from '../schemas.ts';

const filters = { customerId: Type.Optional(CustomerId), packageName: Type.Optional(PackageName) };
export const RefusalQuery = pageQuery(filters);
export const VersionQuery = pageQuery({
  ...filters,
  outdated: Type.Optional(
    Type.Boolean({ description: 'Whether the current release of a channel has a newer version' }),
  ),
});

const DownloadedVersion = object(
  {
    customerId: CustomerId,
    packageName: PackageName,
    version: withOptions(VersionText, { description: 'The newest version that was downloaded' }),
    downloadedAt: withOptions(DateTime, { description: 'When it was last downloaded' }),
    channels: Type.Array(
      object({
        channel: Channel,
        released: withOptions(nullable(VersionText), {
          description: 'The version in the current release of the channel; null if the package is not in it',
        }),
        outdated: Type.Boolean({ description: 'Whether the released version is newer' }),
      }),
      { description: 'The channels of the customer’s licences; `stable` without one' },
    ),
  },
  { $id: 'DownloadedVersion' },
);
export type DownloadedVersion = Static<typeof DownloadedVersion>;
export const DownloadedVersionPage = pageOf(DownloadedVersion, 'DownloadedVersionPage');

export const installationFilters = {
  customerId: Type.Optional(CustomerId),
  channel: Type.Optional(Channel),
  outdated: Type.Optional(Type.Boolean({ description: 'Whether the channel leads to another release by now' })),
};

const InstalledRelease = object(
  {
    customerId: CustomerId,
    licenseId: withOptions(Uuid, { description: 'The licence; the first of those that replaced each other' }),
    installationId: Uuid,
    channel: withOptions(nullable(Channel), {
      description: 'That of the licence when the installation last activated',
    }),
    release: withOptions(nullable(Version), {
      description:
        'The release of the channel at that time, which it then installs unless its operator names another; null for activations before this was recorded',
    }),
    released: withOptions(nullable(Version), { description: 'The current release of the channel' }),
    outdated: withOptions(nullable(Type.Boolean()), { description: 'Whether these differ; null if one is not known' }),
    installerVersion: nullable(Type.String()),
    platform: nullable(Type.String()),
    firstActivatedAt: DateTime,
    lastActivatedAt: DateTime,
  },
  { $id: 'InstalledRelease' },
);
export type InstalledRelease = Static<typeof InstalledRelease>;
export const InstalledReleasePage = pageOf(InstalledRelease, 'InstalledReleasePage');

const Refusal = object(
  {
    customerId: CustomerId,
    packageName: PackageName,
    count: Type.Integer({ minimum: 1, description: 'Denied downloads' }),
    firstAt: DateTime,
    lastAt: DateTime,
    includedIn: withOptions(nullable(Tier), {
      description: 'The lowest tier that includes the package in the current stable release; null if none does',
    }),
    tiers: Type.Array(Tier, { description: 'The tiers of the customer’s licences now' }),
  },
  { $id: 'Refusal' },
);
export type Refusal = Static<typeof Refusal>;
export const RefusalPage = pageOf(Refusal, 'RefusalPage');

export const EraseCustomer = object(
  {
    customerId: CustomerId,
    revoke: Type.Boolean({
      default: false,
      description: 'Whether licences that are not revoked are revoked first',
    }),
  },
  { $id: 'EraseCustomer' },
);

const count = Type.Integer({ minimum: 0 });
export const Erasure = object(
  {
    customerId: CustomerId,
    removed: object(
      {
        installations: count,
        activations: count,
        warnings: count,
        boxes: count,
        domains: count,
        downloads: count,
        downloadsByDay: count,
        downloadsInTotal: count,
        events: count,
      },
      { description: 'How many records were removed' },
    ),
    kept: Type.Array(
      object({
        what: oneOf(['licences', 'domains', 'journal', 'erasure']),
        count: Type.Integer({ minimum: 1 }),
        reason: Type.String({ description: 'Why they stay, how, and for how long' }),
      }),
    ),
  },
  { $id: 'CustomerErasure' },
);
export type Erasure = Static<typeof Erasure>;
