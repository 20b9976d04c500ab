/**
 * Schemas of boxes and their domains (contract, DeployBoxDto, DeployBoxResult, Host resolution response).
 */
import { DateTime, nullable, object, oneOf, type Static, Type, withOptions } from '@carton/runtime/service';
import { BoxName, LicenseKeyText } from '../schemas.ts';

const HttpUrl = Type.String({ format: 'uri', maxLength: 2048, examples: ['https://box.example.com'] });

const Domain = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'A host name, or `*.<domain>` for all names with one more label',
  examples: ['shop.example.com', '*.shops.example.com'],
});
const Nameservers = Type.Array(Type.String(), { examples: [['ns1.example.net', 'ns2.example.net']] });

export const DeployBoxDto = object(
  {
    key: LicenseKeyText,
    name: BoxName,
    backendUrl: withOptions(HttpUrl, { description: 'Public URL of the box (http or https)' }) as typeof HttpUrl,
    frontendUrl: Type.Optional(
      withOptions(HttpUrl, { description: 'Public URL of the storefront (http or https)' }) as typeof HttpUrl,
    ),
    domains: Type.Array(Domain, {
      maxItems: 100,
      description: 'All domains of the box; the list replaces the previous one',
    }),
  },
  { $id: 'DeployBoxDto' },
);
export type DeployBoxDto = Static<typeof DeployBoxDto>;

export const DeployBoxResult = object(
  {
    registered: Type.Array(Type.String(), { description: 'The domains, as sent' }),
    nameservers: withOptions(Nameservers, {
      description: 'The nameservers to which the domains must be delegated at their registrar',
    }) as typeof Nameservers,
  },
  { $id: 'DeployBoxResult' },
);

export const domainStates = ['verified', 'failed', 'unknown'] as const;
export const domainErrorCodes = ['domain_not_found', 'not_delegated', 'other_nameservers', 'lookup_failed'] as const;

const DomainStatus = object(
  {
    domain: Type.String({ description: 'In lower case; internationalised names in ASCII (Punycode)' }),
    state: oneOf(domainStates, {
      description:
        '`verified`: delegated to the expected nameservers. `failed`: not delegated to them. `unknown`: the DNS lookup failed',
    }),
    expectedNameservers: Nameservers,
    observedNameservers: Nameservers,
    errors: Type.Array(
      object(
        {
          code: oneOf(domainErrorCodes),
          detail: Type.String({ description: 'What the lookup found' }),
          fix: Type.String({ description: 'How to correct it' }),
        },
        { $id: 'DomainError' },
      ),
    ),
    checkedAt: DateTime,
  },
  { $id: 'DomainStatus' },
);
export type DomainStatus = Static<typeof DomainStatus>;

export const BoxStatus = object(
  {
    name: BoxName,
    backendUrl: HttpUrl,
    frontendUrl: nullable(HttpUrl),
    createdAt: DateTime,
    updatedAt: DateTime,
    domains: Type.Array(DomainStatus),
  },
  { $id: 'BoxStatus' },
);

export const HostResolution = object(
  {
    backendUrl: HttpUrl,
    match: oneOf(['exact', 'wildcard']),
    tenantSlug: Type.Optional(
      Type.String({
        description:
          'The label that `*` matched. Not present for an exact match, for which the backend knows the tenant',
      }),
    ),
  },
  { $id: 'HostResolution' },
);
