/**
 * Who runs an old release, by installation: the release that its channel led to when it last activated, beside the current
 * one. An installation whose operator chose another release, or went back, is not known to have done so.
 */
import { eachRow, type Page, paginate } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { InstalledRelease } from './schemas.ts';

export interface InstallationFilter {
  customerId?: string;
  channel?: string;
  outdated?: boolean;
}

const table = 'license_installations';

function select(db: Knex, { customerId, channel, outdated }: InstallationFilter): Knex.QueryBuilder {
  const query = db(table)
    .join('license_keys', 'license_keys.id', `${table}.licenseId`)
    .leftJoin('release_channels', 'release_channels.name', `${table}.channel`)
    .select(
      `${table}.id`,
      `${table}.createdAt`,
      'license_keys.customerId',
      `${table}.licenseId`,
      `${table}.installationId`,
      `${table}.channel`,
      `${table}.release`,
      'release_channels.version as released',
      db.raw('release_channels.version <> release as outdated'),
      `${table}.version as installerVersion`,
      `${table}.platform`,
      `${table}.lastActivatedAt`,
    );
  if (customerId !== undefined) query.where('license_keys.customerId', customerId);
  if (channel !== undefined) query.where(`${table}.channel`, channel);
  if (outdated !== undefined) query.whereRaw('(release_channels.version <> release) = ?', [outdated]);
  return query;
}

type Row = Omit<InstalledRelease, 'firstActivatedAt'> & { id: string; createdAt: string };

const shown = ({ id, createdAt, lastActivatedAt, ...rest }: Row): InstalledRelease => ({
  ...rest,
  firstActivatedAt: createdAt,
  lastActivatedAt,
});

/** Reads a page of installations, those that activated last for the first time first. */
export async function listInstallations(
  db: Knex,
  { limit, cursor, ...filter }: InstallationFilter & { limit: number; cursor?: string },
): Promise<Page<InstalledRelease>> {
  const { items, nextCursor } = await paginate<Row>(select(db, filter) as never, table, { limit, cursor });
  return { items: items.map(shown), nextCursor };
}

/** All installations of a search, read in batches while they are consumed. */
export async function* eachInstallation(db: Knex, filter: InstallationFilter): AsyncGenerator<InstalledRelease> {
  for await (const row of eachRow<Row>(() => select(db, filter) as never, table)) yield shown(row);
}
