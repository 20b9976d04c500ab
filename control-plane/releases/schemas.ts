/**
 * Schemas of releases: exact versions of compatible packages, published on a channel.
 */
import { DateTime, nullable, object, oneOf, type Static, Type, tiers } from '@carton/runtime/service';
import { PackageName } from '../schemas.ts';

export const Channel = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  description: 'A named sequence of releases: `stable`, or a channel for previews',
  examples: ['stable'],
});

/** A semantic version (Semantic Versioning 2.0.0), which may have build metadata. */
export const Version = Type.String({
  maxLength: 100,
  pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$',
  examples: ['0.2.1'],
});

const Dependency = object(
  {
    name: PackageName,
    range: Type.String({ minLength: 1, maxLength: 100, description: 'npm version range', examples: ['^0.2.0'] }),
    optional: Type.Boolean({
      description: 'Whether a release may omit it: a package for one operating system and CPU',
    }),
  },
  { $id: 'PackageDependency' },
);

export const CatalogueRoute = object(
  {
    method: oneOf(['get', 'post', 'put', 'patch', 'delete']),
    path: Type.String({ examples: ['/orders/:id'] }),
    operationId: Type.String(),
    access: Type.Array(Type.String(), { description: 'Access kinds, any one of which may call it' }),
    permission: Type.Optional(Type.String({ description: 'The permission that staff need' })),
    beyond: Type.Optional(Type.Literal(true, { description: 'True for a route that is not in the contract' })),
  },
  { $id: 'CatalogueRoute' },
);

export const Migrations = Type.Array(Type.String(), { description: 'File names, in the order of their application' });

const ReleasedPackage = object(
  {
    name: PackageName,
    kind: oneOf(['product', 'platform', 'library'], {
      description:
        '`product`: sold by tier. `platform`: needed by every box (the engine; PostgreSQL for an operating system and CPU). `library`: native code that another package depends on',
    }),
    tier: nullable(oneOf(tiers, { description: 'The lowest tier that includes the product; null for other kinds' })),
    version: Version,
    integrity: Type.String({
      minLength: 95,
      maxLength: 95,
      pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
      description: 'SHA-512 digest of the tarball (Subresource Integrity)',
      examples: [`sha512-${'A'.repeat(86)}==`],
    }),
    description: Type.String({ maxLength: 500 }),
    dependencies: Type.Array(Dependency, { maxItems: 200 }),
    routes: Type.Array(CatalogueRoute),
    migrations: Migrations,
  },
  { $id: 'ReleasedPackage' },
);

const Signature = object(
  {
    keyid: Type.String({
      minLength: 50,
      maxLength: 50,
      pattern: '^SHA256:[A-Za-z0-9+/]{43}$',
      description: 'Id of the key: digest of the public key',
      examples: [`SHA256:${'A'.repeat(43)}`],
    }),
    sig: Type.String({
      minLength: 8,
      maxLength: 100,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: 'ECDSA signature (P-256, SHA-256) in DER, in base64',
      examples: ['MEUCIQDx'],
    }),
  },
  { $id: 'ReleaseSignature' },
);

export const Entitlement = object(
  {
    name: PackageName,
    by: oneOf(['tier', 'dependency', 'platform'], {
      description:
        '`tier`: the tier of the licence, or one below, includes it. `dependency`: only packages in `neededBy` need it. `platform`: every box needs it',
    }),
    tier: nullable(oneOf(tiers, { description: 'The lowest tier that includes it; null for a platform package' })),
    neededBy: Type.Array(PackageName, { description: 'Entitled packages that depend on it directly' }),
  },
  { $id: 'Entitlement' },
);
export type Entitlement = Static<typeof Entitlement>;

const content = {
  version: Version,
  channel: Channel,
  packages: Type.Array(ReleasedPackage, { minItems: 1, maxItems: 500 }),
  signatures: Type.Optional(
    Type.Array(Signature, {
      minItems: 1,
      maxItems: 5,
      description:
        'Signatures by keys of the vendor, which installers verify, of the canonical JSON (RFC 8785) of `{ channel, packages, version }`, with the integrity, name and version of each package, in the order of the names',
    }),
  ),
};

export const PublishRelease = object(content, { $id: 'PublishRelease' });
export const Release = object({ ...content, publishedAt: DateTime }, { $id: 'Release' });

export type ReleaseSignature = Static<typeof Signature>;
export type ReleasedPackage = Static<typeof ReleasedPackage>;
export type PublishRelease = Static<typeof PublishRelease>;
export type Release = Static<typeof Release>;
