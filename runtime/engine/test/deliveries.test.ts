/**
 * The list of deliveries: whatever it is asked for, each delivery that is meant, once, newest first.
 */
import { newId } from '@carton/runtime';
import { createTestBox, type TestTenant } from '@carton/runtime/testing';
import t from 'tap';

const box = await createTestBox(t, { tier: 'basic' });
const other = await box.openTenant();

interface Made {
  id: string;
  subscriber: string;
  type: string;
  status: string;
  resourceId: string;
}

const resources = [newId(), newId()] as const;
/** In the order in which they are made. Of subscribers that this box does not have, so that nobody delivers them. */
const kinds = [
  ['a.one', 'order.placed', 'delivered'],
  ['b.two', 'order.placed', 'dead'],
  ['a.one', 'order.canceled', 'delivered'],
  ['a.one', 'order.placed', 'pending'],
  ['c.three', 'stock.low', 'delivered'],
  ['b.two', 'stock.low', 'dead'],
  ['a.one', 'order.placed', 'delivered'],
  ['b.two', 'order.placed', 'delivered'],
  ['a.one', 'stock.low', 'dead'],
  ['c.three', 'order.canceled', 'dead'],
  ['a.one', 'order.placed', 'dead'],
  // Dealt out by an earlier release, which wrote no type.
  ['b.two', '', 'delivered'],
] as const;

async function fill({ db }: TestTenant): Promise<Made[]> {
  const made: Made[] = [];
  for (const [index, [subscriber, type, status]] of kinds.entries()) {
    const one = { id: newId(), subscriber, type, status, resourceId: resources[index % 2] as string };
    const eventId = newId();
    await db.query(
      `insert into event_outbox (tenant_id, id, type, resource_type, resource_id, payload, dispatched_at)
       values ($1, $2, $3, 'note', $4, '{}', now())`,
      [eventId, type || 'order.placed', one.resourceId],
    );
    await db.insert('event_deliveries', { ...one, eventId, position: index });
    made.unshift(one);
  }
  return made;
}

const made = await fill(box);
await fill(other);

async function idsOf(query: Record<string, string>, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const asked = new URLSearchParams({ ...query, limit: String(limit), ...(cursor && { cursor }) });
    const { status, body } = await box.staff.get(`/admin/event-deliveries?${asked}`);
    t.equal(status, 200);
    t.ok(body.items.length <= limit);
    for (const { id } of body.items) ids.push(id);
    cursor = body.nextCursor;
  } while (cursor);
  return ids;
}

const choices: Record<keyof Omit<Made, 'id'>, string[]> = {
  status: ['', 'delivered', 'pending', 'dead'],
  subscriber: ['', 'a.one', 'b.two', 'nobody'],
  type: ['', 'order.placed', 'stock.low', 'nothing'],
  resourceId: ['', resources[1]],
};

t.test('each filter by itself, with any other, page by page', async (t) => {
  for (const status of choices.status)
    for (const subscriber of choices.subscriber)
      for (const type of choices.type)
        for (const resourceId of choices.resourceId) {
          const told = Object.entries({ status, subscriber, type, resourceId }).filter(([, value]) => value !== '');
          const meant = made.filter((one) => told.every(([name, value]) => one[name as keyof Made] === value));
          const ids = meant.map(({ id }) => id);
          const query = Object.fromEntries(told);
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
