/**
 * The retention job deletes old rows and no others.
 */
import { firstIdAt, newId } from '@carton/runtime';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { deleteOldRows } from '../retention.ts';

t.test('old rows are deleted, others stay', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', environment: { EVENT_RETENTION_DAYS: '10' }, idleJobs: true });
  const other = await box.openTenant();
  const daysAgo = (days: number) => firstIdAt(new Date(Date.now() - days * 86_400_000));
  const events: Record<string, { id: string; delivery?: string }> = {
    recent: { id: daysAgo(9), delivery: 'delivered' },
    'old and delivered': { id: daysAgo(11), delivery: 'delivered' },
    'old without subscribers': { id: daysAgo(12) },
    'old and dead': { id: daysAgo(13), delivery: 'dead' },
    'old and pending': { id: daysAgo(14), delivery: 'pending' },
  };
  for (const tenant of [box, other]) {
    for (const [type, { id, delivery }] of Object.entries(events)) {
      await tenant.db.query(
        `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload, dispatched_at)
         values ($1, $2, $3, 'note', $2, '{}', now())`,
        [id, type],
      );
      if (!delivery) continue;
      // The box does not have this subscriber, so that it delivers nothing.
      await tenant.db.insert('event_deliveries', {
        id: newId(),
        eventId: id,
        subscriber: 'nobody.here',
        position: 1,
        resourceId: id,
        status: delivery,
      });
    }
    for (const days of [89, 90.5, 91.5]) {
      await tenant.db.query(
        `insert into deletions (tenant_id, resource, id, external_id, deleted_at)
         values ($1, 'notes', $2, $3::text, now() - $3::text::float8 * interval '1 day')`,
        [newId(), String(days)],
      );
    }
    for (const [key, age] of [
      ['recent', '23 hours'],
      ['old', '25 hours'],
    ]) {
      await tenant.db.query(
        `insert into idempotency_keys (tenant_id, caller, operation_id, key, fingerprint, created_at)
         values ($1, 'session x', 'placeOrder', $2, 'x', now() - $3::interval)`,
        [key, age],
      );
    }
  }
  await deleteOldRows.run(box.db);
  const types = Object.keys(events);
  const left = async ({ db }: Pick<typeof box, 'db'>) => {
    const events = await db.query<{ type: string }>(
      'select type from event_outbox where tenant_id = $1 and type = any($2) order by id desc',
      [types],
    );
    const keys = await db.query<{ key: string }>('select key from idempotency_keys where tenant_id = $1 order by key');
    const deletions = await db.query<{ externalId: string }>(
      'select external_id from deletions where tenant_id = $1 order by deleted_at desc',
    );
    return [events.map(({ type }) => type), keys.map(({ key }) => key), deletions.map(({ externalId }) => externalId)];
  };
  t.strictSame(await left(box), [['recent', 'old and dead', 'old and pending'], ['recent'], ['89', '90.5']]);
  t.strictSame(
    await left(other),
    [types, ['old', 'recent'], ['89', '90.5', '91.5']],
    "another tenant's rows are not deleted",
  );
});

t.test('an invalid number of days stops the start', async (t) => {
  await t.rejects(createTestBox(t, { tier: 'basic', environment: { EVENT_RETENTION_DAYS: '0' } }), {
    message: /invalid setting: EVENT_RETENTION_DAYS/,
  });
});
