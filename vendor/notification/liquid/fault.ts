/**
 * What the texts of mails share with the engine that renders them, which only compute processes load.
 */

/** Longest text, in characters. */
export const maxTextLength = 100_000;

/** A fault in a text, with its position, such as `line 2, column 5: undefined filter: bold`. */
export class TextFault extends Error {}

/** A text whose rendering takes too much time. */
export class TextTooCostly extends Error {}
