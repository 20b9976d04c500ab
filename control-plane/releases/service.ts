/**
 * Publishes releases, and reads the current release of a channel.
 */
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { recordEvent } from '../events/outbox.ts';
import { releasePublished } from '../events/types.ts';
import { findInconsistencies } from './consistency.ts';
import { releaseExists, releaseInconsistent } from './problems.ts';
import type { PublishRelease, Release, ReleasedPackage } from './schemas.ts';
import { findChannel, findPackages, findPublication, insertRelease, lockChannel, pointChannel } from './store.ts';

/** The channel of the catalogue, and of licences unless the vendor chooses another. */
export const stable = 'stable';

/** Whether a release has been published on a channel. Channels are never removed. */
export async function channelExists(db: Knex, channel: string): Promise<boolean> {
  return (await findChannel(db, channel)) !== undefined;
}

export interface Releases {
  /** Reads the current release of a channel. Returns null if none has been published on it. */
  current(channel: string): Promise<Release | null>;
  /** Reads a release that was published on a channel. Returns null if there is none of this version. */
  published(channel: string, version: string): Promise<Release | null>;
  /**
   * Stores a release and points its channel to it. Publishing the same release again changes at most its
   * signatures; publishing an earlier one again moves the channel back to it.
   * @throws release_inconsistent (400), release_exists (409) if a release of its version has other packages
   */
  publish(release: PublishRelease): Promise<Release>;
}

/** Opens the releases. The packages of a release never change, so those of each channel's last one are cached. */
export function openReleases(db: Knex): Releases {
  const cache = new Map<string, { version: string; packages: ReleasedPackage[] }>();

  async function current(channel: string): Promise<Release | null> {
    const row = await findChannel(db, channel);
    if (!row) return null;
    const { version, publishedAt, signatures } = row;
    const cached = cache.get(channel);
    const packages = cached?.version === version ? cached.packages : await findPackages(db, version);
    cache.set(channel, { version, packages });
    return { version, channel, publishedAt, packages, ...(signatures && { signatures }) };
  }

  async function published(channel: string, version: string): Promise<Release | null> {
    const row = await findPublication(db, channel, version);
    if (!row) return null;
    const { publishedAt, signatures } = row;
    const packages = await findPackages(db, version);
    return { version, channel, publishedAt, packages, ...(signatures && { signatures }) };
  }

  return {
    current,
    published,
    async publish({ version, channel, packages, signatures }) {
      const errors = findInconsistencies(packages);
      if (errors.length > 0) {
        throw releaseInconsistent(`${errors.map(({ detail }) => detail).join('; ')}.`, { errors });
      }
      const sorted = packages.map(normalize).sort(byName);
      const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
      await db.transaction(async (transaction) => {
        if (!(await insertRelease(transaction, { version, packages: sorted, digest }))) {
          throw releaseExists(`Publish these packages under a version other than ${version}.`);
        }
        const before = await lockChannel(transaction, channel);
        await pointChannel(transaction, { name: channel, version, signatures });
        if (before?.version !== version) {
          const subject = { resource: 'channel', id: idOfChannel(channel), customerId: null };
          await recordEvent(transaction, releasePublished, subject, { channel, version });
        }
      });
      return (await current(channel)) as Release;
    },
  };
}

/** A channel has a name only: its id in events is a UUID made of it (RFC 9562, version 8). */
function idOfChannel(name: string): string {
  const digits = createHash('sha256').update(`channel:${name}`).digest('hex').slice(0, 32).split('');
  digits[12] = '8';
  digits[16] = 'a';
  return digits.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** Puts the members and dependencies in a fixed order, so that equal packages have the same JSON and digest. */
function normalize({ name, kind, tier, version, integrity, description, ...rest }: ReleasedPackage): ReleasedPackage {
  const dependencies = [...rest.dependencies]
    .sort(byName)
    .map(({ name, range, optional }) => ({ name, range, optional }));
  const { routes, migrations } = rest;
  return { name, kind, tier, version, integrity, description, dependencies, routes, migrations };
}
