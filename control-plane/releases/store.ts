/**
 * Queries of releases and of the channels that point to them.
 */
import type { Knex } from 'knex';
import type { ReleasedPackage } from './schemas.ts';

/** The version that a channel points to, and when it was published on it. */
export interface ChannelRow {
  version: string;
  publishedAt: string;
}

export async function findChannel(db: Knex, name: string): Promise<ChannelRow | undefined> {
  return db('release_channels').where({ name }).first('version', 'publishedAt');
}

export async function findPackages(db: Knex, version: string): Promise<ReleasedPackage[]> {
  const row = await db('releases').where({ version }).first('packages');
  return row.packages;
}

/** Inserts a release unless its version exists. Returns whether the stored release has this digest. */
export async function insertRelease(
  db: Knex,
  { version, packages, digest }: { version: string; packages: readonly ReleasedPackage[]; digest: string },
): Promise<boolean> {
  await db('releases')
    .insert({ version, packages: JSON.stringify(packages), digest })
    .onConflict('version')
    .ignore();
  const stored = await db('releases').where({ version }).first('digest');
  return stored.digest === digest;
}

/** Points a channel to a release. `publishedAt` does not change if it points there already. */
export async function pointChannel(db: Knex, name: string, version: string): Promise<void> {
  await db.raw(
    `insert into release_channels (name, version) values (?, ?)
     on conflict (name) do update set version = excluded.version, published_at = now()
     where release_channels.version <> excluded.version`,
    [name, version],
  );
}
