// Publishes built packages to a registry: new versions go up, what is there already stays as it is.

import { availableParallelism } from 'node:os';
import type { BuiltPackage } from './build.ts';
import { openNpmClient } from './npm-client.ts';

export type PublishOptions = {
  registryUrl: string;
  publishSecret: string;
  packages: BuiltPackage[];
  /** Called with one line for each package. */
  log?: (line: string) => void;
  /** npm's tag for what is published; what has none is found under `latest`. */
  tag?: string;
  /** Only says what would happen. */
  dryRun?: boolean;
  /**
   * Replaces a published version whose content differs instead of refusing to: for a registry of one's own, where
   * sources change and versions do not. Existing installations of that version keep the old content.
   */
  replace?: boolean;
};

export type PublishResult = { published: string[]; unchanged: string[] };

/**
 * Publishes the packages whose version the registry does not have, in the order given, some at a time. Nothing is
 * published when a version is there with other content: it rejects, naming each, since a version is for good. Names in
 * the result are `name@version`. Rejects when the registry cannot be reached or refuses the secret.
 */
export async function publishPackages(options: PublishOptions): Promise<PublishResult> {
  const {
    registryUrl,
    publishSecret,
    packages,
    tag = 'latest',
    log = () => {},
    dryRun = false,
    replace = false,
  } = options;
  const states = await atOnce(packages, (built) => publishedIntegrity(registryUrl, publishSecret, built));
  const stateOf = new Map(packages.map((built, index) => [built, states[index]]));
  const changed = packages.filter(
    (built) => stateOf.get(built) !== undefined && stateOf.get(built) !== built.integrity,
  );
  if (changed.length > 0 && !replace) {
    const names = changed.map(({ name, version }) => `${name} ${version}`).join(', ');
    throw new Error(`Published already, with other content: ${names}. Raise the version to publish it.`);
  }

  const unchanged = packages.filter((built) => stateOf.get(built) === built.integrity);
  for (const built of unchanged) log(`${label(built)} is already there`);
  const fresh = packages.filter((built) => !unchanged.includes(built));
  if (dryRun) {
    for (const built of fresh) log(`${label(built)} would be published`);
  } else if (fresh.length > 0) {
    const npm = await openNpmClient(registryUrl, publishSecret);
    try {
      await atOnce(fresh, async (built) => {
        const isReplaced = changed.includes(built);
        if (isReplaced) await npm.run('unpublish', '--force', `${built.name}@${built.version}`);
        // Without a tag npm refuses versions such as 18.4.0-beta.17.
        await npm.run('publish', built.tarball, '--tag', tag);
        log(`${label(built)} ${isReplaced ? 'replaced' : 'published'}`);
      });
    } finally {
      await npm.close();
    }
  }
  const names = (list: BuiltPackage[]) => list.map(({ name, version }) => `${name}@${version}`);
  return { published: dryRun ? [] : names(fresh), unchanged: names(unchanged) };
}

const label = ({ name, version }: BuiltPackage) => `${name} ${version}`;

/** The integrity under which this very version is published, if it is. */
async function publishedIntegrity(registryUrl: string, secret: string, { name, version }: BuiltPackage) {
  const address = `${registryUrl.replace(/\/+$/, '')}/${name.replace('/', '%2f')}`;
  const response = await fetch(address, { headers: { Authorization: `Bearer ${secret}` } }).catch((error: Error) => {
    throw new Error(
      `The registry at ${registryUrl} cannot be reached: ${(error.cause as Error)?.message ?? error.message}`,
    );
  });
  if (response.status === 404) return undefined;
  const answer = (await response.json().catch(() => ({}))) as {
    error?: string;
    versions?: Record<string, { dist: { integrity: string } }>;
  };
  if (!response.ok) throw new Error(`The registry refuses: ${answer.error ?? `status ${response.status}`}`);
  return answer.versions?.[version]?.dist.integrity;
}

/** Works on a list, as many at a time as there are processors. Results keep the order of the list. */
async function atOnce<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      results[index] = await work(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return results;
}
