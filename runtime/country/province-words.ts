/**
 * Names of provinces without the word for what they are: `Fukuoka` of `Fukuoka Prefecture` and of `福岡県`.
 */
import { folded } from './folding.ts';

const kinds = `
  province provincia provincie provinz provins província provintzia probintzia prowincja woj
  prefecture préfecture prefectura prefeitura präfektur
  state estado estat état stat bundesland land freistaat freie hansestadt
  region regione région región regija regiunea regionen
  county co contae comté condado comtat judet judetul megye lan fylke maakunta maakond apskritis župa županija
  canton kanton cantone chantun
  department departamento département departement
  district distrito distretto bezirk okres
  krai okrug commonwealth
  oblast oblasť область край республика республики область области republic république autonomous
  autonomous autónoma autònoma autonome community comunidad comunitat comunidade principado principality
  governorate gouvernorat muhafazah emirate emirat wilaya wilayah wilayat
  voivodeship województwo kraj kraje krajina metropolitan metropolitana ad
  islands islas isla illes illas isole isola iles ile ilhas ilha uharteak
  ken fu to do sheng
  territory territorio territoire division commune capital il ili ostan νομός περιφέρεια
  محافظة إمارة امارة منطقة ولاية استان מחוז จังหวัด tỉnh
`;

/** Words for what may also lie in a province, and have the name of another: Kansas City, Delaware County. */
const smaller = {
  town: 'city ciudad città ville shi si город thành phố',
  municipality: 'municipality',
  county: 'county co contae comté condado comtat parish',
} as const;
type Smaller = keyof typeof smaller;

/** Provinces that are towns, though none of their names says so. */
const towns = new Set(
  'AT-9 CH-BS DE-BE DE-HB DE-HH ES-CE ES-ML LV-RIX RU-MOW RU-SPE VN-CT VN-DN VN-HN VN-HP'.split(' '),
);

/** Countries whose provinces are counties. */
const countiesAreProvinces = new Set(['EE', 'GB', 'HR', 'HU', 'IE', 'KE', 'LR', 'LT', 'NO', 'RO', 'SE', 'TW']);

const links = 'of de del della dello di do da dos das du des d la las le les of the van von der y und et';

const words = (text: string) =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .map((word) => folded(word)),
  );
const smallerWords = new Map(
  Object.entries(smaller).flatMap(([kind, each]) => [...words(each)].map((word) => [word, kind as Smaller] as const)),
);
const kindWords = new Set([...words(kinds), ...smallerWords.keys()]);
const linkWords = words(links);

/** What is written behind a name without a space, the longest first; 北海道 has its own as a part of the name. */
const endings =
  /(特别行政区|特別行政區|壮族自治区|回族自治区|维吾尔自治区|自治区|自治區|特別市|特别市|특별자치시|특별자치도|특별시|광역시|[県府都省市县縣도시])$/u;

const smallerEndings: readonly [ending: RegExp, kind: Smaller][] = [
  [/[市시]$/u, 'town'],
  [/[县縣]$/u, 'county'],
];

/** Written before a name without a space. */
const beginnings = /^จังหวัด(?=.)/u;

export interface CoreName {
  /** The folded name. */
  readonly core: string;
  /** What the words that were dropped say, of what may lie in a province. */
  readonly kinds: readonly Smaller[];
}

/**
 * A name without words for what it is, at its beginning or its end; null for a name without such a word, and for one that
 * is nothing else. A word that links it to the name goes with it.
 */
export function coreName(name: string): CoreName | null {
  const whole = folded(name);
  const dropped = new Set<Smaller>();
  const parts = whole
    .replace(beginnings, '')
    .replace(/^(?=\p{Script=Han}|\p{Script=Hangul}).*$/u, (text) =>
      text.replace(endings, (ending) => {
        for (const [each, kind] of smallerEndings) if (each.test(ending)) dropped.add(kind);
        return '';
      }),
    )
    .split(' ');
  let [from, to] = [0, parts.length];
  while (from < to && kindWords.has(parts[from] as string)) from++;
  if (from > 0) while (from < to && linkWords.has(parts[from] as string)) from++;
  while (to > from && kindWords.has(parts[to - 1] as string)) to--;
  for (const part of [...parts.slice(0, from), ...parts.slice(to)]) {
    const kind = smallerWords.get(part);
    if (kind !== undefined) dropped.add(kind);
  }
  const core = parts.slice(from, to).join(' ');
  return core === '' || core === whole ? null : { core, kinds: [...dropped] };
}

/**
 * What a province is, besides a province: a town where one of its names says so, as Ciudad de México and 서울특별시 do.
 * @param code ISO 3166-2
 */
export function kindsOf(code: string, names: readonly string[]): ReadonlySet<Smaller> {
  const kinds = new Set(names.flatMap((name) => coreName(name)?.kinds ?? []));
  if (towns.has(code)) kinds.add('town');
  if (countiesAreProvinces.has(code.slice(0, 2))) kinds.add('county');
  return kinds;
}
