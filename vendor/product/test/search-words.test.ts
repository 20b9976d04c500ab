/**
 * The words of products besides those of titles as they are written.
 */
import t from 'tap';
import { termsOf } from '../search-words.ts';

t.test('punctuation around a word is left out, however much there is', async (t) => {
  const bare = (q: string) => termsOf(q).map(({ forms }) => forms[0]);
  t.strictSame(bare('"Linen" (blue), )) !) C++. «ok»!?'), ['Linen', 'blue', ')', '!', 'C++', 'ok']);
  const inside = `x${')'.repeat(1_000_000)}y`;
  t.strictSame(bare(inside), [inside]);
});
