/**
 * Metrics of webhooks.
 */
import { family, type MetricFamily } from '@carton/runtime/service';
import type { Knex } from 'knex';
import { scrapeTogether } from '../scrape.ts';

interface Counts {
  pending: number;
  dead: number;
  oldestSeconds: number;
  disabled: number;
  failing: number;
}

/** Deliveries to enabled webhooks wait; those to disabled ones are meant to. */
async function count(db: Knex): Promise<Counts> {
  const { rows } = await db.raw(`
    select count(*) filter (where state = 'pending')::integer as pending,
           count(*) filter (where state = 'dead')::integer as dead,
           coalesce(extract(epoch from now() - min(events.created_at) filter (
             where state = 'pending' and disabled_at is null)), 0)::float8 as "oldestSeconds",
           (select count(*)::integer from webhooks where disabled_reason <> 'administrator') as disabled,
           (select count(*)::integer from webhooks where failing_since is not null and disabled_at is null) as failing
      from webhook_deliveries
      join webhooks on webhooks.id = webhook_id
      join events on events.id = event_id
     where state in ('pending', 'dead')`);
  return rows[0];
}

export function webhookFamilies(db: Knex): MetricFamily[] {
  const read = scrapeTogether(() => count(db));
  return [
    family({
      name: 'webhook_deliveries',
      type: 'gauge',
      help: 'Deliveries of events to webhooks: `pending`, also for disabled webhooks, or `dead` (given up in the last 30 days)',
      labels: ['state'],
      read: read(({ pending, dead }) => [
        { value: pending, labels: { state: 'pending' } },
        { value: dead, labels: { state: 'dead' } },
      ]),
    }),
    family({
      name: 'webhook_oldest_pending_seconds',
      type: 'gauge',
      help: 'Age of the oldest event that waits for a webhook that is not disabled; 0 if there is none',
      read: read(({ oldestSeconds }) => [{ value: oldestSeconds }]),
    }),
    family({
      name: 'webhooks_faulty',
      type: 'gauge',
      help: 'Webhooks whose last attempt `failed`, and those that were `disabled` because they failed for three days or responded with 410',
      labels: ['state'],
      read: read(({ failing, disabled }) => [
        { value: failing, labels: { state: 'failed' } },
        { value: disabled, labels: { state: 'disabled' } },
      ]),
    }),
  ];
}
