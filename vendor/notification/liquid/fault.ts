/**
 * What the texts of mails share with the engine that renders them, which is loaded with the first rendering: loading it
 * takes a tenth of a box's start.
 */

/** Longest text, in characters. */
export const maxTextLength = 100_000;

/** A fault in a text, with its position, such as `line 2, column 5: undefined filter: bold`. */
export class TextFault extends Error {}
