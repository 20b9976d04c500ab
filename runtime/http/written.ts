/**
 * Texts that people write, as they are stored: composed (NFC), so that the same letters are the same text whichever
 * keyboard has written them, and without the spaces around them that copied texts have. A text that shows nothing is blank,
 * and counts as absent.
 *
 * Texts that name something, such as codes, SKUs and tags, are compared by one fold: without regard to case, width and
 * characters that are not shown. Accents count.
 */

/** Spaces, control characters, and what is not shown, such as U+200B, U+3164 and U+2800. */
const blank = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Whether a text shows nothing. */
export function isBlank(text: string): boolean {
  return blank.test(text);
}

/** A text as it is stored; null if it is blank, as for one that was not given. */
export function writtenText(text: string | null | undefined): string | null {
  if (text === null || text === undefined || isBlank(text)) return null;
  const trimmed = text.trim();
  const composed = trimmed.normalize('NFC');
  // Few letters are longer composed. They stay as they are, so that no text exceeds the length that was checked.
  return composed.length > trimmed.length ? trimmed : composed;
}

/** Characters that are not shown, such as those that are copied from a mail with a code. */
const invisible = /\p{Cf}/gu;

/** A text without characters that are not shown. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(invisible, '');
}

const ascii = /^[\0-\x7f]*$/;

/** Whether a text is one of ASCII, as most are: folding its characters changes nothing but the case. */
export function isAscii(text: string): boolean {
  return ascii.test(text);
}

const otherDigit = /(?!\p{ASCII})\p{Nd}/gu;
const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code));

/** A text with the digits of all scripts as those of ASCII: `11511` for `١١٥١١`. */
export function plainDigits(text: string): string {
  if (isAscii(text)) return text;
  return text.replaceAll(otherDigit, (digit) => {
    const code = digit.codePointAt(0) as number;
    // Unicode has the ten digits of a script one after another; some sets follow each other.
    let first = code;
    while (isDigit(first - 1)) first--;
    return String((code - first) % 10);
  });
}

/** The form in which names of things are compared, in capitals: `STRASSE` of `Straße`. */
export function foldCapitals(text: string): string {
  if (isAscii(text)) return text.trim().toUpperCase();
  // The capital of ı is I, too: a keyboard with both letters writes neither as others do.
  const letters = withoutInvisible(text).normalize('NFKC').trim().replaceAll('İ', 'I');
  // By way of small letters, since ẞ is a capital whose small letter has two capitals.
  return letters.toLowerCase().toUpperCase().normalize('NFC');
}

/** The same form in small letters. Of texts in ASCII letters it is what `toLowerCase` returns. */
export function foldCase(text: string): string {
  // A capital sigma has two small letters, by its place in the word.
  return foldCapitals(text).toLowerCase().replaceAll('ς', 'σ');
}
