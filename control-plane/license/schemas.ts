/**
 * Schemas of licences (contract, MintLicenseDto, ActivateDto, ActivationResult).
 */
import {
  changeOf,
  DateTime,
  nullable,
  object,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime/service';
import { Channel } from '../releases/schemas.ts';
import { CustomerId, Label, LicenseKeyText, LicenseState, PackageName, Tier } from '../schemas.ts';

const limit = (description: string) =>
  nullable(Type.Integer({ minimum: 0, maximum: 1_000_000, description: `${description}; null for no limit` }));

/** What the vendor notes about a licence, and its limits. */
const terms = {
  label: withOptions(nullable(Label), { description: 'A short text by which the vendor finds the licence' }),
  notes: nullable(
    Type.String({
      minLength: 1,
      maxLength: 10_000,
      pattern: '^[^\\u0000]*$',
      description: 'For the vendor only',
      examples: ['Invoice 2026-117'],
    }),
  ),
  maxBoxes: limit('How many boxes it may deploy. Existing boxes can always be deployed again'),
  maxInstallations: limit(
    'How many installations, told apart by `Installation-Id`, may activate it. Those that have done so always may',
  ),
};
const channel = withOptions(Channel, {
  description: 'The channel of releases that it activates: one that a release has been published on',
});
type Terms = { [name in keyof typeof terms]: Static<(typeof terms)[name]> };
export type LicenseChange = Partial<Terms & { channel: string }>;

/** The longest time of a trial. */
export const trialDays = 90;

const Expiry = nullable(
  Type.String({ format: 'date-time', description: 'In the future; null if the licence never expires' }),
);

export const MintLicenseDto = object(
  {
    customerId: CustomerId,
    tier: Tier,
    expiresAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'ISO 8601 date and time with an offset, in the future. If omitted, the licence never expires',
        examples: ['2036-01-01T00:00:00Z'],
      }),
    ),
    label: Type.Optional(terms.label),
    notes: Type.Optional(terms.notes),
    maxBoxes: Type.Optional(terms.maxBoxes),
    maxInstallations: Type.Optional(terms.maxInstallations),
    channel: Type.Optional(channel),
    trial: Type.Optional(
      Type.Boolean({ description: `A trial, which expires within ${trialDays} days and can be converted` }),
    ),
  },
  { $id: 'MintLicenseDto' },
);

export type MintLicenseDto = Static<typeof MintLicenseDto>;

export const ChangeLicense = changeOf({ ...terms, channel }, { $id: 'ChangeLicense' });

export const RenewLicenseDto = object(
  {
    expiresAt: withOptions(Expiry, {
      description: `In the future; null if the licence never expires. A trial expires within ${trialDays} days`,
    }),
  },
  { $id: 'RenewLicenseDto' },
);

export const ConvertTrial = object({ expiresAt: Expiry }, { $id: 'ConvertTrial' });

export const ReplaceLicense = object(
  {
    overlapHours: Type.Integer({
      minimum: 0,
      maximum: 720,
      description: 'Hours in which both keys are valid; 0 ends the replaced one at once',
    }),
  },
  { $id: 'ReplaceLicense' },
);

const license = {
  id: Uuid,
  customerId: CustomerId,
  tier: Tier,
  status: LicenseState,
  expiresAt: nullable(DateTime),
  ...terms,
  channel,
  trial: Type.Boolean(),
  replaces: withOptions(nullable(Uuid), { description: 'Id of the licence that it replaces' }),
  replacedBy: withOptions(nullable(Uuid), { description: 'Id of the licence that replaces it' }),
  endsAt: withOptions(nullable(DateTime), { description: 'When a replaced licence is revoked' }),
  last4: Type.String({ description: 'The last four characters of the key', examples: ['q7ma'] }),
  lastActivatedAt: nullable(DateTime),
  createdAt: DateTime,
};

export const License = object(license, { $id: 'License' });
export type License = Static<typeof License>;
export const LicensePage = pageOf(License, 'LicensePage');

export const MintedLicense = object(
  { key: Type.String({ description: 'The licence key, which cannot be read again' }), ...license },
  { $id: 'MintedLicense' },
);

const reported = {
  version: withOptions(nullable(Type.String()), { description: 'Version of the installer' }),
  platform: withOptions(nullable(Type.String()), { description: 'Operating system and CPU', examples: ['linux-x64'] }),
};

const Installation = object(
  { installationId: Uuid, ...reported, firstActivatedAt: DateTime, lastActivatedAt: DateTime },
  { $id: 'Installation' },
);
export type Installation = Static<typeof Installation>;
export const InstallationPage = pageOf(Installation, 'InstallationPage');

const Activation = object(
  { id: Uuid, installationId: nullable(Uuid), ...reported, createdAt: DateTime },
  { $id: 'Activation' },
);
export type Activation = Static<typeof Activation>;
export const ActivationPage = pageOf(Activation, 'ActivationPage');

export const ActivateDto = object({ key: LicenseKeyText }, { $id: 'ActivateDto' });

export const ActivationResult = object(
  {
    tier: Tier,
    customerId: CustomerId,
    token: Type.String({ description: 'Activation token: a JWT (RS256), the bearer credential for the registry' }),
    expiresIn: Type.Integer({ description: 'Lifetime of the token in seconds' }),
    packages: Type.Array(PackageName, { description: 'All entitled packages, including their dependencies' }),
    registryUrl: Type.String({ description: 'URL of the gated registry, which serves the packages' }),
  },
  { $id: 'ActivationResult' },
);
