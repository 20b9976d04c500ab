/**
 * The form in which names of countries and provinces are compared.
 */

/** Letters that no accent can be taken from, and those of which there are two forms. */
const letters: Readonly<Record<string, string>> = {
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ß: 'ss',
  臺: '台',
  ς: 'σ',
  أ: 'ا',
  إ: 'ا',
  آ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
  ۀ: 'ه',
};

/** A text in the usual width, without characters that are not shown, such as those that are copied with it. */
export function cleaned(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
}

/** Without accents, case, punctuation and an English article, `&` as `and`; letters of other scripts keep their vowel signs. */
export function folded(name: string): string {
  const plain = cleaned(name)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    // Taken from the capital letter İ by the change of case.
    .replaceAll('\u0307', '');
  const words = plain
    .replaceAll(/[ıłøđðþæœß臺ςأإآٱىیکةۀ]/g, (letter) => letters[letter] ?? letter)
    // Vowels and lengths that Arabic rarely writes.
    .replaceAll(/[\u0640\u064b-\u0652\u0670]/g, '')
    .replaceAll(/[ʻʼ]/g, '')
    .replaceAll('&', ' and ')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim();
  return words.startsWith('the ') ? words.slice(4) : words;
}
