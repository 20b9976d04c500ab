/**
 * Events that another release has recorded: what an earlier one has left is delivered as this one defines it, what a later
 * one has left stops nothing, and an internal event reaches only subscribers that name it.
 */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { untilDelivered } from '../../testing/events.ts';
import { type RecordedEvent, recordEvents } from '../../testing/recorded-events.ts';
import { writePackage } from '../../testing/written-package.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table heard (
      tenant_id uuid not null references tenants (id), id uuid not null, position bigserial, subscriber text not null,
      type text not null, payload jsonb not null, primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table heard');
`;

const index = `import { defineEvent, definePackage, newId, object, resourceEvents, subscriber, Type } from '@carton/runtime';

const lamp = resourceEvents({ type: 'lamp', noun: 'lamp', payload: object({ lit: Type.Boolean() }) });
const broken = defineEvent({
  type: 'lamp.broke', summary: 'A lamp broke', payload: object({ parts: Type.Integer() }),
  formerly: [{ type: 'lamp.broken' }],
});
const lent = defineEvent({
  type: 'lamp.lent', summary: 'A lamp was lent', payload: object({ email: Type.String() }), internal: 'It is mailed there.',
});
const hear = (name) => (db, { type, payload }) => db.query(
  'insert into heard (tenant_id, id, subscriber, type, payload) values ($1, $2, $3, $4, $5)',
  [newId(), name, type, JSON.stringify(payload)],
);
const listen = (name, events, more = {}) => subscriber({ name: 'lamp.' + name, events, handle: hear(name), ...more });

export default definePackage({
  routes: [],
  events: [...Object.values(lamp), broken, lent],
  subscribers: [
    listen('all', 'all', { concerns: ({ type }) => type.startsWith('lamp.') }),
    listen('outside', 'all', { outsideTransaction: true, concerns: ({ type }) => type.startsWith('lamp.') }),
    listen('changes', [lamp.updated]),
    listen('ends', [lamp.deleted, broken], { concerns: ({ payload }) => payload.parts !== 0 }),
    listen('loans', () => [lent]),
  ],
});
`;

const written = await writePackage(t, { name: 'lamp', dependencies: ['core', 'auth'], index, migration }, ['tenant']);
const box = await createTestBox(t, { tier: 'basic', database: 'empty', ...written });

/** Records the events of one lamp; returns what the subscribers heard, in order. */
async function heardOf(recorded: readonly Omit<RecordedEvent, 'resource'>[]) {
  const tenant = await box.openTenant();
  const resource = { type: 'lamp', id: randomUUID() };
  const ids = await recordEvents(
    box,
    tenant,
    recorded.map((event) => ({ ...event, resource })),
  );
  await untilDelivered(tenant);
  const heard = await tenant.db.query<{ subscriber: string; type: string; payload: object }>(
    'select subscriber, type, payload from heard where tenant_id = $1 order by subscriber, position',
  );
  const kept = await tenant.db.query<{ type: string; status: string }>(
    'select type, status from event_deliveries where tenant_id = $1 and event_id = any($2) order by subscriber, position',
    [ids],
  );
  return { heard: heard.map(({ subscriber, type, payload }) => [subscriber, type, payload]), kept };
}

t.test('an event recorded under a former type is delivered as the one of today', async (t) => {
  const { heard, kept } = await heardOf([
    { type: 'lamp.broken', payload: { parts: 3, owner: 'Ada' } },
    { type: 'lamp.broken', payload: { parts: 0 } },
  ]);
  t.strictSame(heard, [
    ['all', 'lamp.broke', { parts: 3 }],
    ['all', 'lamp.broke', { parts: 0 }],
    ['ends', 'lamp.broke', { parts: 3 }],
    ['outside', 'lamp.broke', { parts: 3 }],
    ['outside', 'lamp.broke', { parts: 0 }],
  ]);
  t.ok(
    kept.every(({ type, status }) => type === 'lamp.broken' && status === 'delivered'),
    'deliveries keep the type that is recorded',
  );
});

t.test('a deletion that was recorded as an update is delivered as a deletion', async (t) => {
  const { heard } = await heardOf([
    { type: 'lamp.updated', payload: { lit: true, name: 'Ada', deleted: false } },
    { type: 'lamp.updated', payload: { lit: false, name: 'Ada', deleted: true } },
    { type: 'lamp.updated', payload: { lit: true } },
  ]);
  const everything = [
    ['lamp.updated', { lit: true }],
    ['lamp.deleted', { lit: false }],
    ['lamp.updated', { lit: true }],
  ];
  t.strictSame(heard, [
    ...everything.map((event) => ['all', ...event]),
    ['changes', 'lamp.updated', { lit: true }],
    ['changes', 'lamp.updated', { lit: true }],
    ['ends', 'lamp.deleted', { lit: false }],
    ...everything.map((event) => ['outside', ...event]),
  ]);
});

t.test('so is one that the earlier release has dispatched', async (t) => {
  const { heard, kept } = await heardOf([
    { type: 'lamp.broken', payload: { parts: 1, owner: 'Ada' }, subscriber: 'lamp.ends' },
    { type: 'lamp.updated', payload: { lit: false, deleted: true }, subscriber: 'lamp.outside' },
  ]);
  t.strictSame(heard, [
    ['ends', 'lamp.broke', { parts: 1 }],
    ['outside', 'lamp.deleted', { lit: false }],
  ]);
  t.ok(kept.every(({ status }) => status === 'delivered'));
});

t.test('an internal event reaches those that name it, and no subscriber to all', async (t) => {
  const { heard } = await heardOf([{ type: 'lamp.lent', payload: { email: 'ada@shop.example', phone: '1' } }]);
  t.strictSame(heard, [['loans', 'lamp.lent', { email: 'ada@shop.example' }]]);
});

t.test('an event of a later release reaches nobody, and the next one of its resource is delivered', async (t) => {
  const { heard } = await heardOf([
    { type: 'lamp.sold', payload: { price: 1 } },
    { type: 'lamp.broke', payload: { parts: 2 } },
  ]);
  t.strictSame(heard, [
    ['all', 'lamp.broke', { parts: 2 }],
    ['ends', 'lamp.broke', { parts: 2 }],
    ['outside', 'lamp.broke', { parts: 2 }],
  ]);
});
