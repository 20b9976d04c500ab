/**
 * Paragraphs that are too long to be read: at most ten lines of 120 characters.
 */
const mostCharacters = 10 * 120;

/** The paragraphs and items of a document that are longer, a line each. Code and tables aside. */
export function longParagraphs(file: string, text: string): string[] {
  const prose = text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, ''));
  const faults: string[] = [];
  let [first, length] = [0, 0];
  for (const [index, line] of [...prose.split('\n'), ''].entries()) {
    const isText = line.trim() !== '' && !line.startsWith('|');
    if (isText && length > 0 && !/^\s*(?:[-*]|\d+\.) /.test(line)) {
      length += 1 + line.length;
      continue;
    }
    if (length > mostCharacters) faults.push(`${file}:${first + 1}: the paragraph has more than ten lines: divide it`);
    [first, length] = [index, isText ? line.length : 0];
  }
  return faults;
}
