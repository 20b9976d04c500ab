/**
 * The list of deliveries: with every combination of filters it contains each matching delivery once, newest first.
 */
import { newId } from '@carton/runtime';
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

/** Packages without subscribers, which would add deliveries. */
const packages = ['core', 'tenant', 'auth'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages });
const other = await box.openTenant();

interface Delivery {
  id: string;
  subscriber: string;
  type: string;
  status: string;
  resourceId: string;
}

const resources = [newId(), newId()] as const;
/** In the order of their creation. The box does not have these subscribers, so that it delivers nothing. */
const kinds = [
  ['a.one', 'order.placed', 'delivered'],
  ['b.two', 'order.placed', 'dead'],
  ['a.one', 'order.canceled', 'delivered'],
  ['a.one', 'order.placed', 'pending'],
  ['c.three', 'stock.ran_low', 'delivered'],
  ['b.two', 'stock.ran_low', 'dead'],
  ['a.one', 'order.placed', 'delivered'],
  ['b.two', 'order.placed', 'delivered'],
  ['a.one', 'stock.ran_low', 'dead'],
  ['c.three', 'order.canceled', 'dead'],
  ['a.one', 'order.placed', 'dead'],
  // Dispatched by an earlier release, which stored no type.
  ['b.two', '', 'delivered'],
] as const;

async function insertDeliveries({ db }: TestTenant): Promise<Delivery[]> {
  const deliveries: Delivery[] = [];
  for (const [index, [subscriber, type, status]] of kinds.entries()) {
    const one = { id: newId(), subscriber, type, status, resourceId: resources[index % 2] as string };
    const eventId = newId();
    await db.query(
      `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload, dispatched_at)
       values ($1, $2, $3, 'note', $4, '{}', now())`,
      [eventId, type || 'order.placed', one.resourceId],
    );
    await db.insert('event_deliveries', { ...one, eventId, position: index });
    deliveries.unshift(one);
  }
  return deliveries;
}

const deliveries = await insertDeliveries(box);
await insertDeliveries(other);

async function idsOf(query: Record<string, string>, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const parameters = new URLSearchParams({ ...query, limit: String(limit), ...(cursor && { cursor }) });
    const { status, body } = await box.staff.get(`/admin/event-deliveries?${parameters}`);
    t.equal(status, 200);
    t.ok(body.items.length <= limit);
    for (const { id } of body.items) ids.push(id);
    cursor = body.nextCursor;
  } while (cursor);
  return ids;
}

const choices: Record<keyof Omit<Delivery, 'id'>, string[]> = {
  status: ['', 'delivered', 'pending', 'dead'],
  subscriber: ['', 'a.one', 'b.two', 'nobody'],
  type: ['', 'order.placed', 'stock.ran_low', 'nothing'],
  resourceId: ['', resources[1]],
};

t.test('all combinations of filters, page by page', async (t) => {
  for (const status of choices.status)
    for (const subscriber of choices.subscriber)
      for (const type of choices.type)
        for (const resourceId of choices.resourceId) {
          const filters = Object.entries({ status, subscriber, type, resourceId }).filter(([, value]) => value !== '');
          const matching = deliveries.filter((delivery) =>
            filters.every(([name, value]) => delivery[name as keyof Delivery] === value),
          );
          const ids = matching.map(({ id }) => id);
          const query = Object.fromEntries(filters);
          for (const limit of [2, 100])
            t.strictSame(await idsOf(query, limit), ids, `${JSON.stringify(query)} ${limit}`);
        }
});

t.test('a cursor of another list is refused', async (t) => {
  const cursor = Buffer.from(JSON.stringify(['newest', '2026-01-01T00:00:00.000Z', newId()])).toString('base64url');
  for (const query of ['', '&type=order.placed']) {
    t.match(await box.staff.get(`/admin/event-deliveries?cursor=${cursor}${query}`), { status: 400 });
  }
});
