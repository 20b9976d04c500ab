/**
 * Identifiers are UUIDs of version 7 that sort in the order of their creation.
 */
import t from 'tap';
import { firstIdAt, newId } from '../id.ts';

t.test('many identifiers of one millisecond are ordered and unique', async (t) => {
  const ids = Array.from({ length: 20_000 }, newId);
  t.equal(new Set(ids).size, ids.length);
  t.strictSame([...ids].sort(), ids);
  t.ok(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)));
});

t.test('the first identifier of a time sorts between those created before and after it', async (t) => {
  const moment = Date.now();
  const id = newId();
  t.ok(id >= firstIdAt(new Date(moment)));
  t.ok(id < firstIdAt(new Date(moment + 60_000)));
  t.match(firstIdAt(new Date(moment)), /^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-0{12}$/);
});
