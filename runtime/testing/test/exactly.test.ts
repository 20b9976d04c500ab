/**
 * A pattern says how long its lists are.
 */
import t from 'tap';
import { exactly } from '../exactly.ts';

const ada = { id: 'ada', names: ['Ada', 'Lovelace'] };
const grace = { id: 'grace', names: [] };

t.test('what t.match alone lets through', async (t) => {
  const nothing: unknown[] = [];
  t.match([ada, grace], nothing);
  t.match({ items: [ada] }, { items: nothing });
});

t.test('a list of as many items, each as its pattern says', async (t) => {
  t.match([], exactly([]));
  t.match([ada, grace], exactly([{ id: /^ad/ }, { id: String, names: [] }]));
  t.match({ items: [ada] }, { items: exactly([{ names: ['Ada', /lace$/] }]) });
  t.match([undefined, null], exactly([undefined, null]));
  t.match([ada], exactly([Object]));
});

t.test('no other', async (t) => {
  t.notMatch([ada], exactly([]));
  t.notMatch({ items: [ada] }, { items: exactly([]) });
  t.notMatch([ada, grace], exactly([{ id: 'ada' }]));
  t.notMatch([ada], exactly([{ id: 'ada' }, { id: 'grace' }]));
  t.notMatch([grace, ada], exactly([{ id: 'ada' }, { id: 'grace' }]));
  t.notMatch([ada], exactly([{ names: ['Ada'] }]), 'nor in what is within');
  t.notMatch([grace], exactly([{ names: ['Grace'] }]));
  t.notMatch([[ada]], exactly([[]]));
  for (const none of [undefined, null, {}, '', 0]) t.notMatch(none, exactly([]), JSON.stringify(none));
});
