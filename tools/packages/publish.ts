// Publishes built packages to a registry. Versions that exist are not changed.

import type { BuiltPackage, PackageDependency } from './built-package.ts';
import { mapConcurrently } from './concurrently.ts';
import { openPublisher } from './publication.ts';
import type { Sign } from './signing.ts';

export type PublishOptions = {
  registryUrl: string;
  publishSecret: string;
  packages: BuiltPackage[];
  /** Called with a line for each package. */
  log?: (line: string) => void;
  /** Signs published versions; unsigned ones are refused by a registry that has public keys. */
  sign?: Sign | undefined;
  /** The dist-tag of the published versions; `latest` by default. */
  tag?: string;
  /** Only reports what would be published. */
  dryRun?: boolean;
  /**
   * Replaces a published version whose content differs, which is otherwise an error: for a local registry, where sources
   * change and versions do not. Boxes that have installed the version keep the old content.
   */
  replace?: boolean;
};

export type PublishResult = { published: string[]; unchanged: string[] };

/**
 * Publishes the packages whose versions the registry does not have, several concurrently. Names in the result are
 * `name@version`.
 * @throws Error that names each version published with other content, before anything is published: a version is
 * immutable. Error that names each platform package that a package would name and the registry would lack. Error if the
 * registry cannot be reached or rejects the secret
 */
export async function publishPackages(options: PublishOptions): Promise<PublishResult> {
  const {
    registryUrl,
    publishSecret,
    packages,
    sign,
    tag = 'latest',
    log = () => {},
    dryRun = false,
    replace = false,
  } = options;
  const states = await mapConcurrently(packages, (built) => publishedIntegrity(registryUrl, publishSecret, built));
  const stateOf = new Map(packages.map((built, index) => [built, states[index]]));
  const changed = packages.filter(
    (built) => stateOf.get(built) !== undefined && stateOf.get(built) !== built.integrity,
  );
  if (changed.length > 0 && !replace) {
    const names = changed.map(({ name, version }) => `${name} ${version}`).join(', ');
    throw new Error(`Already published with other content: ${names}. Raise the version to publish it.`);
  }

  const unchanged = packages.filter((built) => stateOf.get(built) === built.integrity);
  for (const built of unchanged) log(`${label(built)} unchanged`);
  const fresh = packages.filter((built) => !unchanged.includes(built));
  await rejectLackingPlatforms(options, fresh);
  if (dryRun) {
    for (const built of fresh) log(`${label(built)} would be published`);
  } else if (fresh.length > 0) {
    const publisher = openPublisher(registryUrl, publishSecret);
    await mapConcurrently(fresh, async (built) => {
      const isReplaced = changed.includes(built);
      if (isReplaced) await publisher.unpublish(built);
      await publisher.publish(built, tag, sign);
      log(`${label(built)} ${isReplaced ? 'replaced' : 'published'}`);
    });
  }
  const names = (list: BuiltPackage[]) => list.map(({ name, version }) => `${name}@${version}`);
  return { published: dryRun ? [] : names(fresh), unchanged: names(unchanged) };
}

/** Whether a registry has a version, as `isPublished` of a build. */
export function isPublishedAt({ registryUrl, publishSecret }: Pick<PublishOptions, 'registryUrl' | 'publishSecret'>) {
  return async (name: string, version: string) =>
    (await publishedIntegrity(registryUrl, publishSecret, { name, version })) !== undefined;
}

/** @throws Error for an optional dependency that is neither among the packages nor published */
async function rejectLackingPlatforms(options: PublishOptions, fresh: readonly BuiltPackage[]): Promise<void> {
  const isPublished = isPublishedAt(options);
  const isHere = async ({ name, range }: PackageDependency) =>
    options.packages.some((built) => built.name === name && built.version === range) || isPublished(name, range);
  const optional = fresh.flatMap(({ name, dependencies }) =>
    dependencies.filter((needed) => needed.optional).map((needed) => ({ by: name, needed })),
  );
  const found = await mapConcurrently(optional, ({ needed }) => isHere(needed));
  const lacking = optional.filter((_, index) => !found[index]);
  if (lacking.length === 0) return;
  const names = lacking.map(({ by, needed }) => `${by} names ${needed.name} ${needed.range}`).join(', ');
  throw new Error(`The registry would lack platform packages, so nothing is published: ${names}.`);
}

const label = ({ name, version }: BuiltPackage) => `${name} ${version}`;

/** The integrity of a published version; undefined if the version is not published. */
async function publishedIntegrity(
  registryUrl: string,
  secret: string,
  { name, version }: Pick<BuiltPackage, 'name' | 'version'>,
) {
  const address = `${registryUrl.replace(/\/+$/, '')}/${name.replace('/', '%2f')}`;
  const response = await fetch(address, { headers: { Authorization: `Bearer ${secret}` } }).catch((error: Error) => {
    throw new Error(
      `The registry at ${registryUrl} cannot be reached: ${(error.cause as Error)?.message ?? error.message}`,
    );
  });
  if (response.status === 404) return undefined;
  const body = (await response.json().catch(() => ({}))) as {
    error?: string;
    versions?: Record<string, { dist: { integrity: string } }>;
  };
  if (!response.ok) throw new Error(`The registry rejects the request: ${body.error ?? `status ${response.status}`}`);
  return body.versions?.[version]?.dist.integrity;
}
