/**
 * Text is searched for without regard to case, width, accents and apostrophes.
 */
import t from 'tap';
import { foldCase, foldText } from '../folded.ts';

t.test('accents, apostrophes and letters that many keyboards lack', async (t) => {
  const folded = {
    'Crème Brûlée': 'creme brulee',
    "O'Neill O’Neill": 'oneill oneill',
    'Straße ẞ Łódź Ærø Đà ışık': 'strasse ss lodz aero da isik',
    İZMİR: 'izmir',
    'ЁЛКА зелёная': 'елка зеленая',
    Καφές: 'καφες',
    أَحْمَر: 'احمر',
    שָׁלוֹם: 'שלום',
    'ｶﾞﾗｽ Ｔ': 'ガラス t',
    한국어: '한국어',
    हिन्दी: 'हिन्दी',
  };
  for (const [text, expected] of Object.entries(folded)) {
    t.equal(foldText(text), expected, text);
    t.equal(foldText(text.normalize('NFD')), expected, `${text}, decomposed`);
  }
  t.equal(foldText('L’été', ' '), 'l ete');
  t.equal(foldCase(' Ａ-É '), 'a-é');
});
