/**
 * The words of texts: those of plain texts, which are found without the database, are those that the statement selects.
 */
import t from 'tap';
import { createTestBox } from '../../testing/index.ts';
import { maxWordLength, plainWords, selectWords } from '../words.ts';

const box = await createTestBox(t);

type Pair = readonly [entire: string, text: string];

/** The words of each pair of texts, by the statement. @param locale what a database of this locale would select */
async function selected(pairs: readonly Pair[], locale?: string): Promise<string[][]> {
  const [entire, own] = ['entire', 'own'].map((text) => (locale ? `${text} collate "${locale}"` : text)) as [
    string,
    string,
  ];
  const rows = await box.owner.query<{ words: string[] }>(
    `select array(select word_from from (${selectWords({ entire: [entire], texts: [own] })}) words
                   order by word_from collate "C") as words
       from unnest($1::text[], $2::text[]) with ordinality as text (entire, own, place) order by place`,
    [pairs.map(([entire]) => entire), pairs.map(([, text]) => text)],
  );
  return rows.map(({ words }) => words);
}

const found = ([entire, text]: Pair) => plainWords({ entire: [entire], texts: [text] });

const long = 'Ada-King, '.repeat(30);
const odd = [
  ...[
    '',
    ' ',
    '-',
    '#A-1001',
    'ADA LOVELACE-KING',
    '2024/17',
    ' two  spaces ',
    'a.b_c@d',
    '~{}|\\"%$&',
    'x'.repeat(300),
  ],
  ...[long, long.trim(), `${' '.repeat(99)}ab`, `${'x'.repeat(99)} yz`, `${'x'.repeat(100)} yz`, `-${'x'.repeat(101)}`],
  ...['Ida', 'IŞIL', 'ışıl', 'İzmir', 'İ', 'ı', 'i', 'Istanbul i̇'],
  ...['ΣΊΣΥΦΟΣ', 'Οδυσσεύς', 'ς σ Σ', 'ᾈδης'],
  ...['王小明', '王 Li', '山田 太郎', 'ひらがな', '김철수', '\u3000全角　ＡＢＣ'],
  ...[
    'Zoë',
    'Zoe\u0308',
    'e\u0301a',
    '\u0301',
    'Ångström',
    'Å',
    'ﬁn',
    'Straße',
    'STRASSE ẞ',
    'Łódź',
    'Ærø',
    'Đorđe',
    'Œuvre',
  ],
  ...["O'Neill", 'O’Neill', 'O`Neill', 'O´Neill', 'Oʼ Neill', "''", 'Ⅷ', '①', '½', 'ª', 'µ', 'ǅ', 'K'],
  ...[
    'Ada 😀',
    '👩‍👩‍👧 Ada',
    '𝒜da',
    '\ud83d\ude00',
    'a\u200bb',
    'a\u00a0b',
    'a\tb',
    'a\nb',
    'a\u007fb',
    'عائشة',
    'אדה',
    '१२',
  ],
];

for (const locale of [undefined, 'tr-x-icu', 'lt-x-icu']) {
  t.test(`the words of plain texts are those that the statement selects: ${locale ?? 'by default'}`, async (t) => {
    const characters = Array.from({ length: 0x250 - 1 }, (_, at) => String.fromCharCode(at + 1));
    const texts = [...odd, ...characters.flatMap((one) => [one, `One${one}Two`, `${one}B c`])];
    const pairs = texts.flatMap((text): Pair[] => [
      ['Ada@Example.com', text],
      [text, 'Ada 1'],
      [text, text],
    ]);
    const words = await selected(pairs, locale);
    const compared = pairs.flatMap((pair, at) => {
      const plain = found(pair);
      return plain ? [{ pair, plain: plain.sort(), selected: words[at] }] : [];
    });
    t.strictSame(
      compared.filter(({ plain, selected }) => JSON.stringify(plain) !== JSON.stringify(selected)),
      [],
    );
    t.ok(compared.length > 700, `${compared.length} of ${pairs.length} compared`);
  });
}

t.test('plain are the characters of ASCII but apostrophes and I', (t) => {
  const characters = Array.from({ length: 0x250 - 1 }, (_, at) => String.fromCharCode(at + 1));
  const plain = characters.filter((character) => found(['', character])).join('');
  t.equal(plain.length, 92);
  t.match(plain, /^[\x20-\x7e]+$/);
  t.notMatch(plain, /['`I]/);
  for (const text of odd.filter((one) => /[^\x20-\x7e]|['`I]/.test(one))) {
    t.equal(found(['', text]), null, JSON.stringify(text));
    t.equal(found([text, '']), null, `${JSON.stringify(text)} as an entire text`);
  }
  t.end();
});

t.test('a text that occurs twice has its words once, of limited length', (t) => {
  const words = plainWords({ entire: ['Ada'], texts: ['ADA', 'ada', `b ${'x'.repeat(200)}`] });
  t.strictSame(words, ['ada', `b ${'x'.repeat(maxWordLength - 2)}`, 'x'.repeat(maxWordLength)]);
  t.end();
});
