/**
 * The plural of an English noun, as far as spelling goes; what is irregular has to be said.
 */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/i.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}
