/**
 * Characters that end a line for tap's parser, or for others, but not in TAP: the parser reads nothing after one.
 */
import { Parser } from 'tap-parser';

const lineEnds = /\r(?!\n)|[\u2028\u2029]/g;

const escaped = (text: string) =>
  text.replace(lineEnds, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Escapes them in all that the tests of this process write, as YAML does between quotation marks. */
export function escapeLineEnds(): void {
  const { write } = Parser.prototype;
  Parser.prototype.write = function (this: Parser, chunk: unknown, ...others: unknown[]) {
    return Reflect.apply(write, this, [typeof chunk === 'string' ? escaped(chunk) : chunk, ...others]);
  };
}
