/**
 * Queries of releases and of the channels that point to them.
 */
import type { Knex } from 'knex';
import type { ReleasedPackage, ReleaseSignature } from './schemas.ts';

/** The version that a channel points to, when it was published on it, and its signatures; null without any. */
export interface ChannelRow {
  version: string;
  publishedAt: string;
  signatures: ReleaseSignature[] | null;
}

export async function findChannel(db: Knex, name: string): Promise<ChannelRow | undefined> {
  return db('release_channels').where({ name }).first('version', 'publishedAt', 'signatures');
}

/** Finds a release that was published on a channel, now or before. */
export async function findPublication(db: Knex, channel: string, version: string): Promise<ChannelRow | undefined> {
  return db('release_publications').where({ channel, version }).first('version', 'publishedAt', 'signatures');
}

/** The first key of the advisory locks of channels; the second is a hash of the name. */
const advisoryLock = 1_774_208_311;

/**
 * Locks a channel until the end of the transaction, and finds it; undefined before its first release. The lock is not one
 * of its row, so that it also serializes two first releases.
 */
export async function lockChannel(
  transaction: Knex.Transaction,
  name: string,
): Promise<{ version: string } | undefined> {
  await transaction.raw('select pg_advisory_xact_lock(?, hashtext(?))', [advisoryLock, name]);
  return transaction('release_channels').where({ name }).first('version');
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

/**
 * Points a channel to a release. If it points there already, `publishedAt` does not change, and without signatures those
 * stored stay.
 */
export async function pointChannel(
  db: Knex,
  { name, version, signatures }: { name: string; version: string; signatures: readonly ReleaseSignature[] | undefined },
): Promise<void> {
  await db.raw(
    `insert into release_channels as stored (name, version, signatures) values (?, ?, ?)
     on conflict (name) do update set
       version = excluded.version,
       published_at = case when stored.version = excluded.version then stored.published_at else now() end,
       signatures = case
         when stored.version = excluded.version then coalesce(excluded.signatures, stored.signatures)
         else excluded.signatures
       end`,
    [name, version, signatures ? JSON.stringify(signatures) : null],
  );
  await db.raw(
    `insert into release_publications as stored (channel, version, signatures) values (?, ?, ?)
     on conflict (channel, version) do update set signatures = coalesce(excluded.signatures, stored.signatures)`,
    [name, version, signatures ? JSON.stringify(signatures) : null],
  );
}
