/**
 * What is kept for a while only goes when it is old, and nothing else does.
 */
import { firstIdAt, newId } from '@carton/runtime';
import { createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { forgetOldRows } from '../retention.ts';

t.test('old rows go, others stay', async (t) => {
  const box = await createTestBox(t, { tier: 'basic', environment: { EVENT_RETENTION_DAYS: '10' } });
  const other = await box.openTenant();
  const daysAgo = (days: number) => firstIdAt(new Date(Date.now() - days * 86_400_000));
  const events: Record<string, { id: string; delivery?: string }> = {
    'too young': { id: daysAgo(9), delivery: 'delivered' },
    'old and taken': { id: daysAgo(11), delivery: 'delivered' },
    'old, for nobody': { id: daysAgo(12) },
    'old and dead': { id: daysAgo(13), delivery: 'dead' },
    'old and waiting': { id: daysAgo(14), delivery: 'pending' },
  };
  for (const tenant of [box, other]) {
    // The job does not come by itself meanwhile.
    await tenant.db.query(
      `insert into background_tasks (tenant_id, name, due_at) values ($1, $2, now() + interval '1 day')
       on conflict (tenant_id, name) do update set due_at = excluded.due_at`,
      [forgetOldRows.name],
    );
    for (const [type, { id, delivery }] of Object.entries(events)) {
      await tenant.db.query(
        `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload, dispatched_at)
         values ($1, $2, $3, 'note', $2, '{}', now())`,
        [id, type],
      );
      if (!delivery) continue;
      // Of a subscriber that this box does not have, so that nobody delivers it meanwhile.
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
      ['young', '23 hours'],
      ['old', '25 hours'],
    ]) {
      await tenant.db.query(
        `insert into idempotency_keys (tenant_id, caller, operation_id, key, fingerprint, created_at)
         values ($1, 'session x', 'placeOrder', $2, 'x', now() - $3::interval)`,
        [key, age],
      );
    }
  }
  await forgetOldRows.run(box.db);
  const left = async ({ db }: Pick<typeof box, 'db'>) => {
    const kept = await db.query<{ type: string }>(
      'select type from event_outbox where tenant_id = $1 and type = any($2) order by id desc',
      [Object.keys(events)],
    );
    const keys = await db.query<{ key: string }>('select key from idempotency_keys where tenant_id = $1 order by key');
    const deletions = await db.query<{ externalId: string }>(
      'select external_id from deletions where tenant_id = $1 order by deleted_at desc',
    );
    return [kept.map(({ type }) => type), keys.map(({ key }) => key), deletions.map(({ externalId }) => externalId)];
  };
  t.strictSame(await left(box), [['too young', 'old and dead', 'old and waiting'], ['young'], ['89', '90.5']]);
  t.strictSame(
    await left(other),
    [Object.keys(events), ['old', 'young'], ['89', '90.5', '91.5']],
    'another shop has its own turn',
  );
});

t.test('a retention that is no number of days stops the start', async (t) => {
  await t.rejects(createTestBox(t, { tier: 'basic', environment: { EVENT_RETENTION_DAYS: '0' } }), {
    message: /wrong setting: EVENT_RETENTION_DAYS/,
  });
});
