/**
 * The languages of an Accept-Language header, most preferred first.
 */
import t from 'tap';
import { preferredLocales } from '../preferred.ts';

t.test('tags in the order of their quality, without what is no tag', async (t) => {
  const cases: [header: string, tags: string[]][] = [
    ['de', ['de']],
    ['de-AT, de;q=0.9, en;q=0.8', ['de-AT', 'de', 'en']],
    ['en;q=0.2,fr;q=0.7 , pt-BR', ['pt-BR', 'fr', 'en']],
    ['*', []],
    ['de;q=0, fr;q=x, ,;;, =', []],
    [`${'de,'.repeat(5000)}`, Array.from({ length: 10 }, () => 'de')],
  ];
  for (const [header, tags] of cases) t.strictSame(preferredLocales(header), tags, header.slice(0, 30));
});
