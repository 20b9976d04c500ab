/**
 * Releases: published by the vendor, read by installers. The catalogue lists the products of the stable release.
 */
import { notFound, object, routeFor, Type } from '@carton/runtime/service';
import { PackageName, Tier } from '../schemas.ts';
import type { CommonCallers, CommonServices } from '../services.ts';
import { releaseExists, releaseInconsistent } from './problems.ts';
import {
  CatalogueRoute,
  Channel,
  Migrations,
  PublishRelease,
  Release,
  type ReleasedPackage,
  Version,
} from './schemas.ts';
import { type Releases, stable } from './service.ts';

const route = routeFor<CommonServices & { releases: Releases }, CommonCallers>();
const tag = 'Releases';

const publishRelease = route(
  {
    method: 'post',
    path: '/releases',
    operationId: 'publishRelease',
    tag,
    summary: 'Publish a release on a channel',
    description:
      'Publish the packages to the registry first. A release is immutable: publishing the same release again changes at most its signatures, and publishing an earlier release again moves the channel back to it.',
    access: 'publisher',
    outsideTransaction: true,
    body: PublishRelease,
    status: 201,
    response: Release,
    location: '/releases/{channel}',
    problems: [releaseInconsistent, releaseExists],
    bodyLimit: 4 * 1024 * 1024,
  },
  ({ body, releases }) => releases.publish(body),
);

const readRelease = route(
  {
    method: 'get',
    path: '/releases/:channel',
    operationId: 'readRelease',
    tag,
    summary: 'Read the release of a channel',
    description: 'The exact version and digest of every package. Installers choose versions from it.',
    access: 'public',
    params: object({ channel: Channel }),
    status: 200,
    response: Release,
    problems: [notFound],
    cacheControl: 'public, no-cache',
  },
  async ({ params: { channel }, releases }) => {
    const release = await releases.current(channel);
    if (!release) throw notFound(`No release has been published on the channel ${channel}.`);
    return release;
  },
);

const readPublishedRelease = route(
  {
    method: 'get',
    path: '/releases/:channel/:version',
    operationId: 'readPublishedRelease',
    tag,
    summary: 'Read a release that was published on a channel',
    description: 'The current one or an earlier one, with its signatures for this channel: a box can stay at it.',
    access: 'public',
    params: object({ channel: Channel, version: Version }),
    status: 200,
    response: Release,
    problems: [notFound],
    cacheControl: 'public, no-cache',
  },
  async ({ params: { channel, version }, releases }) => {
    const release = await releases.published(channel, version);
    if (!release) throw notFound(`No release ${version} has been published on the channel ${channel}.`);
    return release;
  },
);

const CataloguePackage = object(
  {
    name: PackageName,
    tier: Tier,
    version: Type.String(),
    description: Type.String(),
    dependencies: Type.Array(PackageName, { description: 'Other products that it depends on' }),
    routes: Type.Array(CatalogueRoute),
    migrations: Migrations,
  },
  { $id: 'CataloguePackage' },
);

const readCatalogue = route(
  {
    method: 'get',
    path: '/catalogue',
    operationId: 'readCatalogue',
    tag: 'Catalogue',
    summary: 'List the products of the stable release',
    description: 'With the tier, version, dependencies, routes and migrations of each.',
    access: 'public',
    status: 200,
    response: object({ packages: Type.Array(CataloguePackage) }, { $id: 'Catalogue' }),
    cacheControl: 'public, max-age=300',
  },
  async ({ releases }) => {
    const packages = (await releases.current(stable))?.packages ?? [];
    const products = new Set(packages.filter(isProduct).map(({ name }) => name));
    return {
      packages: packages
        .filter(isProduct)
        .map(({ name, tier, version, description, dependencies, routes, migrations }) => {
          const needed = dependencies.map((dependency) => dependency.name).filter((other) => products.has(other));
          return { name, tier, version, description, dependencies: needed, routes, migrations };
        }),
    };
  },
);

function isProduct(entry: ReleasedPackage): entry is ReleasedPackage & { tier: NonNullable<ReleasedPackage['tier']> } {
  return entry.tier !== null;
}

export const releaseRoutes = [publishRelease, readRelease, readPublishedRelease];
export const catalogueRoutes = [readCatalogue];
