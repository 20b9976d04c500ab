/**
 * Shapes of licences (contract, MintLicenseDto, ActivateDto, ActivationResult).
 */
import { DateTime, nullable, object, oneOf, pageOf, type Static, Type, Uuid } from '@carton/runtime/service';
import { CustomerId, LicenseKeyText, PackageName, Tier } from '../schemas.ts';

/** `expired` follows from `expiresAt`; the others are the vendor's decisions, and come before it. */
export const licenseStates = ['active', 'suspended', 'revoked', 'expired'] as const;
export const LicenseState = oneOf(licenseStates);

export const MintLicenseDto = object(
  {
    customerId: CustomerId,
    tier: Tier,
    expiresAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'ISO 8601 date and time with its offset, in the future. Left out, the key never expires',
        examples: ['2036-01-01T00:00:00Z'],
      }),
    ),
  },
  { $id: 'MintLicenseDto' },
);

export const RenewLicenseDto = object(
  {
    expiresAt: nullable(
      Type.String({ format: 'date-time', description: 'In the future; null: the key never expires' }),
    ),
  },
  { $id: 'RenewLicenseDto' },
);

const license = {
  id: Uuid,
  customerId: CustomerId,
  tier: Tier,
  status: LicenseState,
  expiresAt: nullable(DateTime),
  last4: Type.String({ description: 'The last four characters of the key', examples: ['q7ma'] }),
  lastActivatedAt: nullable(DateTime),
  createdAt: DateTime,
};

export const License = object(license, { $id: 'License' });
export type License = Static<typeof License>;
export const LicensePage = pageOf(License, 'LicensePage');

export const MintedLicense = object(
  { key: Type.String({ description: 'The licence key; it is shown in this answer and never again' }), ...license },
  { $id: 'MintedLicense' },
);

export const ActivateDto = object({ key: LicenseKeyText }, { $id: 'ActivateDto' });

export const ActivationResult = object(
  {
    tier: Tier,
    customerId: CustomerId,
    token: Type.String({ description: 'JWT (RS256): the credential for the registry' }),
    expiresIn: Type.Integer({ description: 'Lifetime of the token in seconds' }),
    packages: Type.Array(PackageName, { description: 'Every package the licence entitles to, dependencies included' }),
    registryUrl: Type.String({ description: 'The gated registry that the packages are pulled from' }),
  },
  { $id: 'ActivationResult' },
);
