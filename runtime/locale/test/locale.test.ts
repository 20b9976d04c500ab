/**
 * Locales are valid BCP 47 language tags.
 */
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { describeBox } from '../../testing/described-box.ts';
import { exactly } from '../../testing/exactly.ts';
import { canonicalLocale, isLocale } from '../locale.ts';

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

t.test('tags are taken in any case, and stored in the usual one', async (t) => {
  const cases = [
    ['EN-gb', 'en-GB'],
    ['DE', 'de'],
    [' zh-hANT-tw', 'zh-Hant-TW'],
    ['iw', 'he'],
    ['SR-LATN-rs', 'sr-Latn-RS'],
    ['de-1996', 'de-1996'],
    ['en_GB', 'en-GB'],
    ['zh_hant_TW', 'zh-Hant-TW'],
    ['_', null],
    ['de-u-co-phonebk', null],
    ['*', null],
    ['', null],
  ] as const;
  for (const [sent, stored] of cases) t.equal(canonicalLocale(sent), stored, sent);

  const { staff, shopper, visitor } = await createTestBox(t);
  t.match(await staff.patch('/admin/store', { defaultLocale: 'FR-ch', locales: ['de', 'EN-gb'] }), {
    status: 200,
    body: { defaultLocale: 'fr-CH', locales: exactly(['fr-CH', 'de', 'en-GB']) },
  });
  t.match(await shopper().patch('/cart', { locale: 'EN-gb' }), { status: 200, body: { locale: 'en-GB' } });
  t.match(await visitor().get('/products?locale=DE'), { status: 200 });
});

t.test('wherever a request has a locale, it is taken so', async (t) => {
  const { routes } = await describeBox();
  const found: string[] = [];
  for (const { declaration } of routes) {
    for (const [schema, part] of [
      [declaration.body, 'body'],
      [declaration.query, 'query'],
    ] as const) {
      JSON.stringify(schema ?? null, (_, value) => {
        if (value?.format === 'locale') t.fail(`${declaration.operationId} takes a locale in one case only`);
        if (value?.format === 'language-tag') found.push(`${declaration.operationId} ${part}`);
        return value;
      });
    }
  }
  for (const each of ['updateCart body', 'listProducts query', 'registerMember body', 'updateStore body'])
    t.ok(found.includes(each), each);
});
