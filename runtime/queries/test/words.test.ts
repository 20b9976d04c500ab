/**
 * The words of texts: the statement for texts of ASCII selects what that for any text does.
 */
import t from 'tap';
import { createTestBox } from '../../testing/index.ts';
import { isPlain, selectWords } from '../words.ts';

const box = await createTestBox(t);

async function wordsOf(texts: readonly string[], plain: boolean): Promise<string[]> {
  const rows = await box.owner.query<{ word: string }>(
    `select word_from as word from unnest($1::text[]) as text (own)
      cross join lateral (${selectWords({ entire: [], texts: ['own', "own || ' I'"], plain })}) words
      order by word_from collate "C"`,
    [texts],
  );
  return rows.map(({ word }) => word);
}

t.test('a text is plain if its forms differ by case alone', async (t) => {
  const characters = Array.from({ length: 0x250 - 1 }, (_, at) => String.fromCharCode(at + 1));
  const plain = characters.filter(isPlain);
  t.strictSame(
    plain.filter((character) => character > '~' || character < ' ' || "'`".includes(character)),
    [],
  );
  t.equal(plain.length, 93, 'all others of ASCII');
  for (const text of [...plain.map((character) => `One${character}Two`), '#A-1001', 'ADA LOVELACE-KING', '']) {
    t.strictSame(await wordsOf([text], true), await wordsOf([text], false), JSON.stringify(text));
  }
});
