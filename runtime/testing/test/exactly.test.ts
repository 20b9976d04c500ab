/**
 * Array patterns that also match the length.
 */
import t from 'tap';
import { exactly } from '../exactly.ts';

const ada = { id: 'ada', names: ['Ada', 'Lovelace'] };
const grace = { id: 'grace', names: [] };

t.test('t.match alone ignores further items', async (t) => {
  const nothing: unknown[] = [];
  t.match([ada, grace], nothing);
  t.match({ items: [ada] }, { items: nothing });
});

t.test('an array of the same length whose items match', async (t) => {
  t.match([], exactly([]));
  t.match([ada, grace], exactly([{ id: /^ad/ }, { id: String, names: [] }]));
  t.match({ items: [ada] }, { items: exactly([{ names: ['Ada', /lace$/] }]) });
  t.match([undefined, null], exactly([undefined, null]));
  t.match([ada], exactly([Object]));
});

t.test('other arrays do not match', async (t) => {
  t.notMatch([ada], exactly([]));
  t.notMatch({ items: [ada] }, { items: exactly([]) });
  t.notMatch([ada, grace], exactly([{ id: 'ada' }]));
  t.notMatch([ada], exactly([{ id: 'ada' }, { id: 'grace' }]));
  t.notMatch([grace, ada], exactly([{ id: 'ada' }, { id: 'grace' }]));
  t.notMatch([ada], exactly([{ names: ['Ada'] }]), 'nor nested arrays');
  t.notMatch([grace], exactly([{ names: ['Grace'] }]));
  t.notMatch([[ada]], exactly([[]]));
  for (const none of [undefined, null, {}, '', 0]) t.notMatch(none, exactly([]), JSON.stringify(none));
});
