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
  oblast oblasť область край республика республики город область области republic république autonomous
  autonomous autónoma autònoma autonome community comunidad comunitat comunidade principado principality
  governorate gouvernorat muhafazah emirate emirat wilaya wilayah wilayat
  voivodeship województwo kraj kraje krajina city ciudad città ville metropolitan metropolitana ad municipality
  islands islas isla illes illas isole isola iles ile ilhas ilha uharteak
  ken fu to do sheng shi si
  territory territorio territoire division parish commune capital il ili ostan νομός περιφέρεια
  محافظة إمارة امارة منطقة ولاية استان מחוז จังหวัด tỉnh thành phố
`;
const links = 'of de del della dello di do da dos das du des d la las le les of the van von der y und et';

const words = (text: string) =>
  new Set(
    text
      .trim()
      .split(/\s+/)
      .map((word) => folded(word)),
  );
const kindWords = words(kinds);
const linkWords = words(links);

/** What is written behind a name without a space, the longest first; 北海道 has its own as a part of the name. */
const endings =
  /(特别行政区|特別行政區|壮族自治区|回族自治区|维吾尔自治区|自治区|自治區|特別市|特别市|특별자치시|특별자치도|특별시|광역시|[県府都省市县縣도시])$/u;

/** Written before a name without a space. */
const beginnings = /^จังหวัด(?=.)/u;

/**
 * The folded name without words for what it is, at its beginning or its end; null for a name without such a word, and for
 * one that is nothing else. A word that links it to the name goes with it.
 */
export function coreName(name: string): string | null {
  const whole = folded(name);
  const parts = whole
    .replace(beginnings, '')
    .replace(/^(?=\p{Script=Han}|\p{Script=Hangul}).*$/u, (text) => text.replace(endings, ''))
    .split(' ');
  let [from, to] = [0, parts.length];
  while (from < to && kindWords.has(parts[from] as string)) from++;
  if (from > 0) while (from < to && linkWords.has(parts[from] as string)) from++;
  while (to > from && kindWords.has(parts[to - 1] as string)) to--;
  const core = parts.slice(from, to).join(' ');
  return core === '' || core === whole ? null : core;
}
