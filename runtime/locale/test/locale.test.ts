/**
 * Locales are valid BCP 47 language tags.
 */
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { isLocale } from '../locale.ts';

t.test('valid and invalid language tags', async (t) => {
  for (const tag of ['de', 'en-GB', 'pt-BR', 'zh-Hant-TW', 'es-419', 'de-1996', 'en-gb']) t.ok(isLocale(tag), tag);
  for (const tag of ['', 'e', 'en_GB', 'en-GB-US', 'en-abcdefghi', 'de-1996-1996']) {
    t.notOk(isLocale(tag), tag);
  }
});

t.test('a store accepts no other', async (t) => {
  const { staff } = await createTestBox(t);
  t.match(await staff.patch('/admin/store', { defaultLocale: 'fr-CH' }), { status: 200 });
  for (const defaultLocale of ['fr-CH-FR', 'fr-1996-1996', 'fr!', 'nonsense!']) {
    const refused = await staff.patch('/admin/store', { defaultLocale });
    t.equal(refused.status, 400, defaultLocale);
    t.strictSame(refused.body.errors, [
      { in: 'body', pointer: '/defaultLocale', detail: 'must be a language tag of BCP 47' },
    ]);
  }
});
