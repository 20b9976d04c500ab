/**
 * Which languages are sorted by an order of their own. The source is CLDR (48, `common/collation`): languages whose standard
 * collation has rules, or another order of scripts. Texts of all others are sorted by the root collation. Of those with
 * the same rules one is used for all.
 */

/** Named as ICU's locales, after which PostgreSQL names its collations: `sv-x-icu`. */
export const tailoredCollations: ReadonlySet<string> = new Set(
  (
    'af am ar as az be blo bn bo br chr cs cy da dsb ee el eo es et fa ff-Adlm fi fil fo fr-CA fy gu ha haw ' +
    'he hi hr hsb hu hy ig is ja ka kk kl km kn ko kok ku ky lkt ln lo lt lv mk ml mn mr mt my nb ne nso om ' +
    'or pa pl ps ro ru se si sk sl smn sq sr sv ta te th tk tn to tr ug uk ur uz vi wo yi yo zh zh-Hant'
  ).split(' '),
);

const sameAs = new Map(
  Object.entries({
    ...{ bg: 'ru', bs: 'hr', 'bs-Cyrl': 'sr', ceb: 'fil', 'fa-AF': 'ps', gl: 'es' },
    ...{ nn: 'nb', no: 'nb', 'sr-Latn': 'hr', yue: 'zh-Hant', 'yue-Hans': 'zh' },
  }),
);

/** The collation of a locale that is not sorted by the root collation: `sv` for `sv-FI`; null for all others. */
export function tailoredCollation(locale: string): string | null {
  const { language, script, region } = new Intl.Locale(locale).maximize();
  const names = [`${language}-${region}`, `${language}-${script}`, language].map((name) => sameAs.get(name) ?? name);
  return names.find((name) => tailoredCollations.has(name)) ?? null;
}
