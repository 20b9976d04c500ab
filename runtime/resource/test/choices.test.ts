/**
 * A list that is limited to one value of a column reads no other rows, also where the planner has seen no other value.
 */
import t from 'tap';
import { readingsOf, StatementRecorder } from '../../testing/plans/index.ts';
import { createShelfBox } from './shelf-package.ts';

t.test('a value that no row has is not looked for among all rows', async (t) => {
  const { box, filled } = await createShelfBox(t);
  await box.owner.query(
    `insert into shelves (tenant_id, id, name, height, labels, room)
     select $1, gen_random_uuid(), 'Shelf ' || number, 1, '[]', 'Hall' from generate_series(1, 3000) as number`,
    [box.id],
  );
  // The index of rooms is the larger one: of two that seem equal, the planner takes the other.
  await box.owner.query('create index shelves_newest on shelves (tenant_id, created_at, id)');
  await box.owner.query(
    'create index shelves_room on shelves (tenant_id, room, created_at, id) with (fillfactor = 60)',
  );
  await box.owner.query('analyze shelves');
  const recorder = new StatementRecorder(box.box.database);
  const rowsRead = async (room: string) => {
    const sent = await recorder.record(() => filled.page(box.db, { limit: 10, room }));
    return (await readingsOf(box.box.database, box.id, sent)).reduce((sum, { rows }) => sum + rows, 0);
  };
  t.equal(await rowsRead('Attic'), 0);
  t.equal(await rowsRead('Hall'), 21, 'a page with one row more, and the rows of the page');
});
