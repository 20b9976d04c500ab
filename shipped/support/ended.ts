/**
 * Assertions about commands.
 */
import type { Test } from 'tap';

/** What a command ended with. */
interface Ended {
  code: number;
  output: string;
}

/** A command must end with a code, and have this in its output. If it does not, the end of its output is shown. */
export function checkEnded(
  t: Test,
  { code, output }: Ended,
  expected: number,
  name: string,
  part?: string | RegExp,
): void {
  const said = { said: output.trim().split('\n').slice(-20).join('\n') };
  t.equal(code, expected, name, said);
  if (part !== undefined) t.match(output, part, `${name}: its output`, said);
}
