/**
 * Schemas of boxes and their domains (contract, DeployBoxDto, DeployBoxResult, Host resolution response).
 */
import {
  DateTime,
  DomainRecord,
  nullable,
  object,
  oneOf,
  recordFaultCodes,
  type Static,
  Type,
  withOptions,
} from '@carton/runtime/service';
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
    backendUrl: withOptions(HttpUrl, { description: 'Public https URL of the box' }) as typeof HttpUrl,
    frontendUrl: Type.Optional(
      withOptions(HttpUrl, { description: 'Public https URL of the storefront' }) as typeof HttpUrl,
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
    registered: Type.Array(Type.String(), { description: 'The domains, as sent, pending ones included' }),
    nameservers: withOptions(Nameservers, {
      description: 'Nameservers to which domains can be delegated at their registrar, which proves them',
    }) as typeof Nameservers,
  },
  { $id: 'DeployBoxResult' },
);

const domainErrorCodes = [
  ...recordFaultCodes,
  'domain_not_found',
  'not_delegated',
  'other_nameservers',
  'delegation_shared',
  'domain_taken',
] as const;

const DomainError = object(
  {
    code: oneOf(domainErrorCodes, {
      description:
        '`lookup_failed`: DNS could not be asked, which counts against no domain. `delegation_shared`: another customer claims it too, and delegation does not tell whose it is. `domain_taken`: another customer has it',
    }),
    detail: Type.String({ description: 'What the lookup found' }),
    fix: Type.String({ description: 'How to correct it' }),
  },
  { $id: 'DomainError' },
);
export type DomainError = Static<typeof DomainError>;

/** What the last check of a domain found. */
export interface Findings {
  observedRecords: string[];
  observedNameservers: string[];
  errors: DomainError[];
}

const ZoneStatus = object(
  {
    state: oneOf(['waiting', 'served', 'failed', 'refused'], {
      description:
        '`waiting`: not served yet. `served`: the domain can be delegated. `failed`: the nameserver could not be updated, which is repeated. `refused`: it is not served',
    }),
    detail: withOptions(nullable(Type.String()), { description: 'Why it is not served' }),
    fix: withOptions(nullable(Type.String()), { description: 'What to do' }),
  },
  { $id: 'ZoneStatus' },
);

const DomainStatus = object(
  {
    domain: Type.String({ description: 'In lower case; internationalised names in ASCII (Punycode)' }),
    state: oneOf(['pending', 'proved', 'failing'], {
      description:
        '`pending`: not served, since it is not proved. `proved`: served. `failing`: served until `stopsAt`, since its proof is gone',
    }),
    provedBy: nullable(
      oneOf(['record', 'delegation', 'reserved', 'off', 'earlier'], {
        description:
          'The TXT record, or the delegation to the nameservers. `reserved`: the name needs no proof (RFC 6761). `off`: none was required. `earlier`: registered with a release that required none',
      }),
    ),
    record: withOptions(nullable(DomainRecord), { description: 'The record that proves the domain' }),
    observedRecords: Type.Array(Type.String(), { description: 'Values of the TXT records of that name' }),
    expectedNameservers: Nameservers,
    observedNameservers: Nameservers,
    errors: Type.Array(DomainError),
    zone: withOptions(nullable(ZoneStatus), {
      description:
        'Whether the nameservers serve the domain, and everything below it, with the addresses of the website hosting. Null if the vendor manages its nameservers by hand, and for a reserved name',
    }),
    checkedAt: nullable(DateTime),
    nextCheckAt: nullable(DateTime),
    claimEndsAt: withOptions(nullable(DateTime), {
      description: 'When the claim of a pending domain ends, unless it is proved or the box is deployed again',
    }),
    stopsAt: withOptions(nullable(DateTime), {
      description: 'When a failing domain stops, unless a check finds a proof before',
    }),
  },
  { $id: 'DomainStatus' },
);
export type DomainStatus = Static<typeof DomainStatus>;

const BackendStatus = object(
  {
    url: HttpUrl,
    state: oneOf(['allowed', 'forbidden', 'unresolved', 'unknown'], {
      description: '`unresolved`: its name does not exist in DNS. `unknown`: the lookup failed',
    }),
    addresses: Type.Array(Type.String()),
    error: withOptions(nullable(Type.String()), { description: 'Why it is forbidden' }),
  },
  { $id: 'BackendStatus' },
);

export const BoxStatus = object(
  {
    name: BoxName,
    backendUrl: HttpUrl,
    frontendUrl: nullable(HttpUrl),
    createdAt: DateTime,
    updatedAt: DateTime,
    backends: Type.Array(BackendStatus, { description: 'The backend, and the storefront if there is one' }),
    domains: Type.Array(DomainStatus),
  },
  { $id: 'BoxStatus' },
);
export type BoxStatus = Static<typeof BoxStatus>;

export const VerifyDomains = object({ name: BoxName }, { $id: 'VerifyDomains' });

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

export const HostRoute = object(
  {
    ...HostResolution.properties,
    addresses: Type.Array(Type.String(), {
      description: 'The IP addresses of the backend; empty while its name cannot be resolved',
      examples: [['203.0.113.10']],
    }),
    hostingSecret: withOptions(nullable(Type.String()), {
      description: 'What the box takes as `X-Hosting-Secret`; null for a box without one',
    }),
  },
  { $id: 'HostRoute' },
);
export type HostRoute = Static<typeof HostRoute>;

export const ReplaceHostingSecret = object({ name: BoxName }, { $id: 'ReplaceHostingSecret' });
export const HostingSecret = object(
  { name: BoxName, hostingSecret: Type.String({ description: 'Shown only here' }) },
  { $id: 'HostingSecret' },
);
