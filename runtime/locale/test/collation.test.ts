/**
 * The list of languages with an order of their own is that of CLDR, as Node.js has it.
 */
import t from 'tap';
import { tailoredCollation, tailoredCollations } from '../collation.ts';

/** Letters of all scripts, and what languages sort as one letter. */
const letters = Array.from({ length: 0x3100 }, (_, code) => String.fromCodePoint(code + 1)).filter((letter) =>
  /^[\p{L}\p{M}]$/u.test(letter),
);
const pairs = [...'bcdefghlnrstvz'].flatMap((one) => [...'hjlpqsuvyzgdt'].map((other) => one + other));
const samples = [
  ...letters,
  ...pairs,
  ...['一', '丁', '七', '亜', '가', '나', '𞤀', '𞤁', 'côte', 'coté', 'g‘', 'gʻ', "c'h"],
];

const orderOf = (locale: string) => samples.toSorted(new Intl.Collator(locale).compare).join(' ');
const root = orderOf('und');
const languages = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((a, _, all) =>
  all.flatMap((b) => [a + b, ...all.map((c) => a + b + c)]),
);
const known = Intl.Collator.supportedLocalesOf(languages);

t.test('a language has a collation if it is not sorted as the root is', async (t) => {
  t.ok(known.length > 90, `${known.length} languages`);
  const wrong = known.filter((locale) => (orderOf(locale) !== root) !== (tailoredCollation(locale) !== null));
  t.strictSame(wrong, []);
});

t.test('a collation sorts as its locales do', async (t) => {
  const locales = [
    'sv-FI',
    'no',
    'nn-NO',
    'bs',
    'bs-Cyrl',
    'gl',
    'bg',
    'ceb',
    'zh-TW',
    'zh-CN',
    'fr-CA',
    'fa-AF',
    'es-MX',
  ];
  for (const locale of [...locales, 'iw', 'sh', ...tailoredCollations]) {
    const collation = tailoredCollation(locale);
    t.ok(collation && orderOf(collation) === orderOf(locale), `${locale}: ${collation}`);
  }
  t.strictSame(['sr', 'sr-ME', 'yue', 'yue-CN'].map(tailoredCollation), ['sr', 'hr', 'zh-Hant', 'zh']);
  for (const locale of ['de', 'de-AT', 'en-US', 'fr', 'it', 'nl', 'pt-BR', 'ff', 'xx'])
    t.equal(tailoredCollation(locale), null, locale);
});
