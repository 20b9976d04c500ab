/**
 * The picture of the states of an order: its groups, and an arrow for each transition between them.
 */
import t from 'tap';
import { groupStates, orderStatesPicture } from '../order-states.ts';

const names = ['new', 'open', 'done', 'lost'];
const arrow = (from: string, to: string) => ({ state: 'status', from, to });
const transitions = [arrow('new', 'open'), arrow('open', 'new'), arrow('new', 'done'), arrow('open', 'done')];

t.test('states that change to one another and to the same others are a group', async (t) => {
  t.strictSame(groupStates(names, transitions), [['new', 'open'], ['done'], ['lost']]);
  t.strictSame(
    groupStates(names, transitions.slice(0, 3)),
    names.map((name) => [name]),
  );
});

t.test('the picture has all states, and arrows as the table has transitions', async (t) => {
  const picture = orderStatesPicture({ status: names }, transitions);
  for (const name of names) t.match(picture, `>${name}</text>`);
  t.equal(picture.match(/marker-end="/g)?.length, 1, 'the group to done');
  t.equal(picture.match(/marker-start="/g), null);
  t.match(orderStatesPicture({ status: names }, [...transitions, arrow('done', 'new')]), /marker-start="/);
});
