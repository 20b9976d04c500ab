/**
 * Who runs an old version: the newest version of each package that a customer has downloaded, beside that of the current
 * release. Downloads do not name their installation, so the answer is that of the customer as a whole (installations.ts has the
 * others).
 */
import type { Page } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { compare, valid } from 'semver';
import type { Releases } from '../releases/service.ts';
import { type Terms, termsOf } from './channels.ts';
import type { DownloadedVersion } from './schemas.ts';
import { cursorOf, positionOf, selectTotals, type TotalKey, type TotalQuery } from './totals.ts';

const readTogether = 500;
/** Reads for one page with a filter that few match; the page then ends early, and its cursor leads on. */
const mostReads = 20;

type Group = TotalKey & { versions: string[]; times: string[] };

interface VersionQuery extends TotalQuery {
  outdated?: boolean;
}

/** Reads a page of the newest versions, by customer and package. */
export async function listVersions(
  { db, releases }: { db: Knex; releases: Releases },
  { limit, cursor, outdated, ...filter }: VersionQuery,
): Promise<Page<DownloadedVersion>> {
  const released = releasedVersions(releases);
  const items: DownloadedVersion[] = [];
  let after = positionOf(cursor);
  for (let read = 0; read < mostReads; read += 1) {
    const groups: Group[] = await selectTotals(db, 'allowed', filter, after)
      .whereNotNull('version')
      .select(db.raw('array_agg(version order by last_at) as versions, array_agg(last_at order by last_at) as times'))
      .limit(readTogether);
    const terms = await termsOf(
      db,
      groups.map(({ customerId }) => customerId),
    );
    for (const group of groups) {
      after = group;
      const item = await describe(group, terms(group.customerId), released);
      if (outdated !== undefined && item.channels.some((channel) => channel.outdated) !== outdated) continue;
      if (items.length === limit) return { items, nextCursor: cursorOf(items.at(-1) as DownloadedVersion) };
      items.push(item);
    }
    if (groups.length < readTogether) return { items, nextCursor: null };
  }
  return { items, nextCursor: after && cursorOf(after) };
}

async function describe(
  { customerId, packageName, versions, times }: Group,
  { channels }: Terms,
  released: (channel: string) => Promise<ReadonlyMap<string, string>>,
): Promise<DownloadedVersion> {
  const at = newestOf(versions);
  const version = versions[at] as string;
  const compared = channels.map(async (channel) => {
    const current = (await released(channel)).get(packageName) ?? null;
    const outdated = current !== null && valid(version) !== null && compare(version, current) < 0;
    return { channel, released: current, outdated };
  });
  return {
    customerId,
    packageName,
    version,
    downloadedAt: new Date(times[at] as string).toISOString(),
    channels: await Promise.all(compared),
  };
}

/** The position of the newest of these versions; if none is a semantic version, of the one that was downloaded last. */
function newestOf(versions: readonly string[]): number {
  let newest = versions.length - 1;
  for (const [at, version] of versions.entries()) {
    if (valid(version) === null) continue;
    const best = versions[newest] as string;
    if (valid(best) === null || compare(version, best) > 0) newest = at;
  }
  return newest;
}

/** The versions of the current release of a channel by package, read once. */
function releasedVersions(releases: Releases): (channel: string) => Promise<ReadonlyMap<string, string>> {
  const read = new Map<string, Promise<ReadonlyMap<string, string>>>();
  const versionsOf = async (channel: string) => {
    const release = await releases.current(channel);
    return new Map((release?.packages ?? []).map(({ name, version }) => [name, version]));
  };
  return (channel) => {
    const versions = read.get(channel) ?? versionsOf(channel);
    read.set(channel, versions);
    return versions;
  };
}
