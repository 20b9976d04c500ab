/**
 * Plurals of English nouns, by their spelling. Irregular plurals have to be declared.
 */
export function pluralOf(noun: string): string {
  if (/[^aeiou]y$/i.test(noun)) return noun.replace(/y$/, 'ies');
  return /(s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}
