/**
 * Publishing releases, and the one that a channel points to.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { inconsistencies } from './consistency.ts';
import { releaseExists, releaseInconsistent } from './problems.ts';
import type { PublishRelease, Release, ReleasedPackage } from './schemas.ts';
import { findChannel, findPackages, insertRelease, pointChannel } from './store.ts';

/** The channel that every licence is on. */
export const stable = 'stable';

export interface Releases {
  /** The release of a channel, null while none has been published on it. */
  current(channel: string): Promise<Release | null>;
  /**
   * Stores a release and points its channel to it. Publishing the same one again changes nothing; publishing an older
   * one again takes the channel back to it.
   * @throws release_inconsistent (400), release_exists (409) when its version has other packages
   */
  publish(release: PublishRelease): Promise<Release>;
}

/** The packages of a version never change, so those last read are kept in memory for each channel. */
export function openReleases(db: Knex): Releases {
  const known = new Map<string, { version: string; packages: ReleasedPackage[] }>();

  async function current(channel: string): Promise<Release | null> {
    const row = await findChannel(db, channel);
    if (!row) return null;
    const { version, publishedAt } = row;
    const cached = known.get(channel);
    const packages = cached?.version === version ? cached.packages : await findPackages(db, version);
    known.set(channel, { version, packages });
    return { version, channel, publishedAt, packages };
  }

  return {
    current,
    async publish({ version, channel, packages }) {
      const errors = inconsistencies(packages);
      if (errors.length > 0) {
        throw releaseInconsistent(`${errors.map(({ detail }) => detail).join('; ')}.`, { errors });
      }
      const sorted = packages.map(inOrder).sort(byName);
      const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
      await db.transaction(async (transaction) => {
        if (!(await insertRelease(transaction, { version, packages: sorted, digest }))) {
          throw releaseExists(`Publish these packages under a version other than ${version}.`);
        }
        await pointChannel(transaction, channel, version);
      });
      return (await current(channel)) as Release;
    },
  };
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** The same package has the same text, whatever order its members came in. */
function inOrder({ name, kind, tier, version, integrity, description, ...rest }: ReleasedPackage): ReleasedPackage {
  const dependencies = [...rest.dependencies]
    .sort(byName)
    .map(({ name, range, optional }) => ({ name, range, optional }));
  const { routes, migrations } = rest;
  return { name, kind, tier, version, integrity, description, dependencies, routes, migrations };
}
