/** Reads a number. @throws Error for another text */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${text} is no number`);
  return Number(text);
}
