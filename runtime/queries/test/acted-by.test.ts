/**
 * The actor columns: they hold the actor of the database handle, and no table restricts the actor types.
 */
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { actedBy, actorOf, actorValues } from '../acted-by.ts';

t.test('the columns hold the actor of the handle, else the fallback', async (t) => {
  const actor = { type: 'staff', id: '0190c2f0-0000-7000-8000-000000000001', label: 'ada@example.com' } as const;
  const columns = { actorType: 'staff', actorId: actor.id, actorLabel: 'ada@example.com' };
  t.strictSame(actedBy({ actor }, { type: 'system' }), columns);
  t.strictSame(actorOf(actedBy({ actor }, { type: 'system' })), actor);
  const noActor = { actorType: null, actorId: null, actorLabel: null };
  t.strictSame(actedBy({ actor: null }), noActor);
  t.strictSame(actedBy({ actor: null }, { type: 'system' }), { ...noActor, actorType: 'system' });
  t.strictSame(actorValues({ actor: null }, { type: 'shopper', id: actor.id }), ['shopper', actor.id, null]);
});

t.test('no table restricts the actor types', async (t) => {
  const { owner } = await createTestBox(t);
  const tables = await owner.query(
    "select table_name as name from information_schema.columns where column_name = 'actor_type' order by 1",
  );
  t.strictSame(
    tables.map(({ name }) => name),
    ['audit_entries', 'order_events', 'payment_transactions', 'stock_movements', 'variant_price_changes'],
  );
  const constraints = await owner.query(
    `select conname from pg_constraint where contype = 'c' and pg_get_constraintdef(oid) like '%actor_type%'`,
  );
  t.strictSame(constraints, []);
});
