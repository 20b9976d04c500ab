/**
 * Shapes of releases: exact versions of packages that fit together, published on a channel.
 */
import { DateTime, nullable, object, oneOf, type Static, Type, tiers } from '@carton/runtime/service';
import { PackageName } from '../schemas.ts';

export const Channel = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  description: 'A line of releases: `stable`, or one for trials',
  examples: ['stable'],
});

/** A version as npm takes it (Semantic Versioning 2.0.0), with build metadata. */
const Version = Type.String({
  maxLength: 100,
  pattern: '^\\d+\\.\\d+\\.\\d+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$',
  examples: ['0.2.1'],
});

const Dependency = object(
  {
    name: PackageName,
    range: Type.String({ minLength: 1, maxLength: 100, description: 'npm version range', examples: ['^0.2.0'] }),
    optional: Type.Boolean({ description: 'Of some platforms only: a release may lack it' }),
  },
  { $id: 'PackageDependency' },
);

export const CatalogueRoute = object(
  {
    method: oneOf(['get', 'post', 'put', 'patch', 'delete']),
    path: Type.String({ examples: ['/orders/:id'] }),
    operationId: Type.String(),
    access: Type.Array(Type.String(), { description: 'Who may call: any one of these' }),
    permission: Type.Optional(Type.String({ description: 'The permission that a member of staff needs' })),
    beyond: Type.Optional(Type.Literal(true, { description: "An addition to the contract's routes" })),
  },
  { $id: 'CatalogueRoute' },
);

export const Migrations = Type.Array(Type.String(), { description: 'File names, in the order in which they run' });

const ReleasedPackage = object(
  {
    name: PackageName,
    kind: oneOf(['product', 'platform', 'library'], {
      description:
        'What is sold by tier; what every box needs (the engine, PostgreSQL for a platform); or native code of another package',
    }),
    tier: nullable(oneOf(tiers, { description: 'The lowest tier that includes it; null unless it is a product' })),
    version: Version,
    integrity: Type.String({
      minLength: 95,
      maxLength: 95,
      pattern: '^sha512-[A-Za-z0-9+/]{86}==$',
      description: 'Digest of its tarball (Subresource Integrity)',
      examples: [`sha512-${'A'.repeat(86)}==`],
    }),
    description: Type.String({ maxLength: 500 }),
    dependencies: Type.Array(Dependency, { maxItems: 200 }),
    routes: Type.Array(CatalogueRoute),
    migrations: Migrations,
  },
  { $id: 'ReleasedPackage' },
);

const content = {
  version: Version,
  channel: Channel,
  packages: Type.Array(ReleasedPackage, { minItems: 1, maxItems: 500 }),
};

export const PublishRelease = object(content, { $id: 'PublishRelease' });
export const Release = object({ ...content, publishedAt: DateTime }, { $id: 'Release' });

export type ReleasedPackage = Static<typeof ReleasedPackage>;
export type PublishRelease = Static<typeof PublishRelease>;
export type Release = Static<typeof Release>;
