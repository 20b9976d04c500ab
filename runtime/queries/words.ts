/**
 * Search by the beginnings of words. `like` is not leakproof, so under row-level security it cannot use an index; a range
 * of stored words can. A package stores the words of each resource in a table with the column
 * `word_from text collate "C"`.
 */
import { quoteName, toSnakeCase } from '../db/connection.ts';
import type { TenantDatabase } from '../db/tenant-database.ts';
import { plainDigits } from '../http/written.ts';

/** Characters stored of a word, and the most that can be searched for. */
export const maxWordLength = 100;

/** Characters that begin no word, in the syntax of PostgreSQL's regular expressions; after them, a word begins. */
const separators = [
  '\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf',
  '\\u2000-\\u206f\\u3000-\\u3004',
].join('');
/** Characters of scripts that are written without spaces: each begins a word. */
const ideographs = '\\u2e80-\\u2fff\\u3005-\\ua4cf\\uac00-\\ud7ff\\uf900-\\ufaff';

/** Letters that no mark makes, as they are found without them. */
const plainLetters = { ß: 'ss', æ: 'ae', œ: 'oe', ł: 'l', ø: 'o', đ: 'd', ı: 'i' };

const apostrophes = '’‘ʼ´`';

/** An expression for a text that is composed, and has the apostrophe of ASCII. */
function written(text: string): string {
  return `translate(normalize(${text}), '${apostrophes}', '${"''".repeat(apostrophes.length)}')`;
}

/** An expression for a text in lower case without accents and apostrophes, as `foldText` writes most texts. */
function folded(text: string): string {
  const bare = `lower(regexp_replace(normalize(${text}, NFKD), '[\\u0300-\\u036f''’‘ʼ´\`]', '', 'g'))`;
  return Object.entries(plainLetters).reduce(
    (sql, [letter, plain]) => `replace(${sql}, '${letter}', '${plain}')`,
    bare,
  );
}

/** A sigma at the end of a word, in the syntax that PostgreSQL and JavaScript share: there its small letter is ς. */
const lastSigma = '[σςΣ](?![\\u0370-\\u03ff\\u1f00-\\u1fff])';

/**
 * Expressions for a text in small letters with both ways to write a sigma at the end of a word. Each is stored, since
 * earlier releases have stored the one that was typed.
 */
function withSigmas(text: string): string[] {
  return [`replace(${text}, 'ς', 'σ')`, `regexp_replace(${text}, '${lastSigma}', 'ς', 'g')`];
}

/**
 * A statement that selects the words of a resource as `word_from`, from SQL expressions of its texts, in lower case, as they
 * are written and without accents and apostrophes.
 * @param entire texts that are found by their beginning only, such as e-mail addresses
 * @param texts texts that are found from the beginning of each of their words
 */
export function selectWords({ entire, texts }: { entire: readonly string[]; texts: readonly string[] }): string {
  const keys = texts.flatMap((text) => [`lower(${written(text)})`, folded(text)].flatMap(withSigmas));
  return `
    ${entire.map((text) => `select left(lower(${text}), ${maxWordLength}) as word_from union`).join(' ')}
    select distinct left(substr(key, place), ${maxWordLength}) as word_from
      from (select distinct key from (values ${keys.map((key) => `(${key})`).join(', ')}) as written (key)) as texts
     cross join lateral generate_series(1, length(key)) as place
     where substr(key, place, 1) !~ '[${separators}]'
       and substr(' ' || key, place, 2) ~ '[${separators}${ideographs}]'`;
}

/**
 * Printable characters of ASCII, whose small letters are the same in every locale of a database: not I, which is ı in
 * Turkish. Without apostrophes, a text of them has one form.
 */
const plain = /^[ -&(-HJ-_a-~]*$/;

/** The words that `selectWords` selects of these texts, which costs the database nothing; null if only it can tell them. */
export function plainWords({
  entire,
  texts,
}: {
  entire: readonly string[];
  texts: readonly string[];
}): string[] | null {
  if (![...entire, ...texts].every((text) => plain.test(text))) return null;
  const keys = texts.map((text) => text.toLowerCase());
  const begun = keys.flatMap((key) => Array.from(key.matchAll(/[a-z0-9]+/g), ({ index }) => key.slice(index)));
  const words = [...entire.map((text) => text.toLowerCase()), ...begun].map((word) => word.slice(0, maxWordLength));
  return [...new Set(words)];
}

/** True for a text without a separator: it begins a word of its own only, and goes on in none after it. */
export function isOneWord(text: string): boolean {
  return !new RegExp(`[${separators}]`).test(text);
}

const anyApostrophe = new RegExp(`[${apostrophes}]`, 'g');
const marks = new RegExp(`[\\u0300-\\u036f'${apostrophes}]`, 'g');
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join('')}ẞÆŒŁØĐ]`, 'g');
const lastSigmas = new RegExp(lastSigma, 'g');

/**
 * The forms of a text in which words may have it, but for case: as words are written, as it was typed, and folded; a sigma
 * at its end as that of a word, and as one that other letters follow.
 */
function formsOf(text: string): string[] {
  const composed = text.normalize('NFC').replaceAll(anyApostrophe, "'");
  const bare = plainDigits(text)
    .normalize('NFKD')
    .replaceAll(marks, '')
    .replaceAll(plainLetter, (letter) => plainLetters[letter.toLowerCase() as keyof typeof plainLetters]);
  const endings = [composed, bare].flatMap((form) => [form, form.replaceAll(lastSigmas, 'ς')]);
  const forms = [composed, text, ...endings, bare.replaceAll('ς', 'σ')].map((form) =>
    Array.from(form).slice(0, maxWordLength).join(''),
  );
  return [...new Set(forms.filter((form) => form.trim() !== ''))];
}

/**
 * A text that is searched for, in the first of its forms with which a word begins. Words that earlier releases wrote have
 * what was typed alone, so that the folded form would not find them.
 * @param table with the words of resources
 * @param only what columns of the table must be: other words are not read, so that the result says nothing of them
 */
export async function searchedForm(
  db: TenantDatabase,
  table: string,
  text: string,
  only: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const forms = formsOf(text);
  if (forms.length < 2) return forms[0] ?? text;
  const [found] = await db.query<{ form: string }>(
    `select form from unnest($2::text[]) with ordinality as forms (form, place)
      where (select true from ${table} where tenant_id = $1 and ${wordBeginsWith('form')}${equalTo(only, 3)} limit 1)
      order by place limit 1`,
    [forms, ...Object.values(only)],
  );
  return found?.form ?? text;
}

/**
 * SQL that adds to a condition that each column equals its placeholder.
 * @param first number of the first placeholder
 */
export function equalTo(columns: Readonly<Record<string, unknown>>, first: number): string {
  return Object.keys(columns)
    .map((column, at) => ` and ${quoteName(toSnakeCase(column))} = $${first + at}`)
    .join('');
}

/**
 * A condition on `word_from`: the word begins with the text, ignoring case.
 * @param placeholder of the text, in the statement: `$2` or `?`, which occurs twice
 */
export function wordBeginsWith(placeholder: string): string {
  return `word_from >= lower(${placeholder}) and word_from <= lower(${placeholder}) || repeat(chr(1114111), ${maxWordLength})`;
}
