/**
 * Schemas of licences (contract, MintLicenseDto, ActivateDto, ActivationResult).
 */
import { DateTime, nullable, object, oneOf, pageOf, type Static, Type, Uuid } from '@carton/runtime/service';
import { CustomerId, LicenseKeyText, PackageName, Tier } from '../schemas.ts';

/** `expired` is derived from `expiresAt`; the others are set by the vendor and take precedence. */
export const licenseStates = ['active', 'suspended', 'revoked', 'expired'] as const;
export const LicenseState = oneOf(licenseStates);

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
  },
  { $id: 'MintLicenseDto' },
);

export const RenewLicenseDto = object(
  {
    expiresAt: nullable(
      Type.String({ format: 'date-time', description: 'In the future; null if the licence never expires' }),
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
  { key: Type.String({ description: 'The licence key, which cannot be read again' }), ...license },
  { $id: 'MintedLicense' },
);

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
