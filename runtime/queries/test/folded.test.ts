/**
 * Text is searched for without regard to case, width, accents and apostrophes.
 */
import t from 'tap';
import { foldCapitals, foldCase } from '../../http/written.ts';
import { createTestBox } from '../../testing/box.ts';
import { foldedCase, foldText } from '../folded.ts';

t.test('accents, apostrophes and letters that many keyboards lack', async (t) => {
  const folded = {
    'Crème Brûlée': 'creme brulee',
    "O'Neill O’Neill": 'oneill oneill',
    'Straße ẞ Łódź Ærø Đà ışık': 'strasse ss lodz aero da isik',
    İZMİR: 'izmir',
    'ЁЛКА зелёная': 'елка зеленая',
    Καφές: 'καφεσ',
    'ΚΌΣΜΟΣ κόσμος': 'κοσμοσ κοσμοσ',
    '١٢ ๓ ५': '12 3 5',
    أَحْمَر: 'احمر',
    שָׁלוֹם: 'שלום',
    'ｶﾞﾗｽ Ｔ': 'ガラス t',
    한국어: '한국어',
    हिन्दी: 'हिन्दी',
    'ज़मीन फ़िल्म': 'जमीन फिल्म',
    'צה״ל צה"ל ג׳ירפה': 'צהל צהל גירפה',
    Hawaiʻi: 'hawaii',
    'T\u2011shirt': 't-shirt',
    '"a" 5"': '"a" 5"',
  };
  for (const [text, expected] of Object.entries(folded)) {
    t.equal(foldText(text), expected, text);
    t.equal(foldText(text.normalize('NFD')), expected, `${text}, decomposed`);
  }
  t.equal(foldText('L’été', ' '), 'l ete');
  t.equal(foldCase(' Ａ-É '), 'a-é');
});

t.test('case, width, and characters that are not shown, in SQL as in JavaScript', async (t) => {
  const { db } = await createTestBox(t, { tier: 'basic' });
  const same = [
    ['straße9', 'STRASSE9', 'STRAẞE9'],
    ['ΑΒΓΣ', 'αβγσ', 'αβγς'],
    ['ΣΣ9', 'σσ9', 'Σς9'],
    ['İX9', 'ix9', 'IX9', 'ıx9'],
    ['zz9', 'z\u200Bz9', 'ＺＺ９', 'zz9\u202e'],
    ['éclair', 'e\u0301clair', 'ÉCLAIR'],
  ];
  for (const texts of same) {
    t.equal(new Set(texts.map(foldCase)).size, 1, texts.join());
    t.equal(new Set(texts.map(foldCapitals)).size, 1, texts.join());
    for (const text of texts) {
      const statement = `select ${foldedCase('$2::text')} as folded where $1::uuid is not null`;
      t.strictSame(await db.query(statement, [text]), [{ folded: foldCase(text) }], text);
    }
  }
  t.not(foldCase('eclair'), foldCase('éclair'), 'accents count');
});
