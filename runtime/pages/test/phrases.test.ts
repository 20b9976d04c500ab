/**
 * Phrases of pages have their values where the language has them, escaped.
 */
import t from 'tap';
import { html } from '../html.ts';
import { fillPhrase } from '../phrases.ts';

t.test('values stand in place of their names', async (t) => {
  const values = { number: html`<b>1</b>`, date: '<today>', none: null };
  t.equal(fillPhrase('{date}: order {number} & more{none}', values).markup, '&lt;today&gt;: order <b>1</b> &amp; more');
  t.equal(fillPhrase('nothing', values).markup, 'nothing');
  t.throws(() => fillPhrase('{other}', values), /no value for \{other\}/);
  t.throws(() => fillPhrase('{toString}', values), /no value/);
});
