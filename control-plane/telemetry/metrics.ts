/**
 * Metrics of download reports that wait to be counted.
 */
import { family, type MetricFamily } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { scrapeTogether } from '../scrape.ts';

interface Uncounted {
  reports: number;
  oldestSeconds: number;
}

async function countUncounted(db: Knex): Promise<Uncounted> {
  const { rows } = await db.raw(`
    select count(*)::float8 as reports,
           coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
      from download_reports where rolled_up_at is null`);
  return rows[0];
}

export function downloadFamilies(db: Knex): MetricFamily[] {
  const read = scrapeTogether(() => countUncounted(db));
  return [
    family({
      name: 'download_reports_uncounted',
      type: 'gauge',
      help: 'Download reports that are stored and not yet counted by day',
      read: read(({ reports }) => [{ value: reports }]),
    }),
    family({
      name: 'download_reports_oldest_uncounted_seconds',
      type: 'gauge',
      help: 'Time since the oldest of them arrived; 0 if there is none',
      read: read(({ oldestSeconds }) => [{ value: oldestSeconds }]),
    }),
  ];
}
