/**
 * The depth of a JSON text, before it is parsed: parsing half a million arrays within each other takes 40 ms of the event
 * loop, and most of what is nested so deeply is refused at its first bytes here.
 */

const quote = 0x22;
const [openingBracket, openingBrace] = [0x5b, 0x7b];
const [closingBracket, closingBrace] = [0x5d, 0x7d];

/** Whether arrays and objects are nested deeper than so many levels. @param text need not be valid JSON */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openingBracket || code === openingBrace) {
      if (++depth > levels) return true;
    } else if (code === closingBracket || code === closingBrace) depth--;
  }
  return false;
}

/** The place of the quote that ends a string; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
