/**
 * The command lines of the project's own commands, `npm run …`: `--help` says what one does, wrong usage is one line, and
 * what cannot be done is a message, each without a stack.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { serviceUrl } from './packages/service-urls.ts';

/** Wrong usage: one line, and exit code 2. */
export class UsageError extends Error {}

export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  /** As it is called: `npm run words`. */
  name: string;
  /** What it does, what it takes, and its exit codes. */
  help: string;
  options?: Options;
  /** How many arguments it takes at most, beside options; none by default. */
  most?: number;
}

/** What was passed, by the names of options. */
type Passed<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: true }>
>;

/** @returns null if help is asked for. @throws UsageError for an option or an argument that there is not */
export function readCommandLine<const Options extends ParseArgsOptionsConfig>(
  { options, most = 0 }: CommandLine<Options>,
  parameters: readonly string[],
): Passed<Options> | null {
  const all = { ...options, help: { type: 'boolean', short: 'h' } } as const;
  let passed: ReturnType<typeof parseArgs>;
  try {
    passed = parseArgs({ args: [...parameters], allowPositionals: true, options: all });
  } catch (error) {
    // Its further sentences say how to pass an argument that begins with a hyphen.
    throw new UsageError((error as Error).message.split('. ')[0]);
  }
  if (passed.values.help) return null;
  const [first] = passed.positionals.slice(most);
  if (first !== undefined) throw new UsageError(`Unknown argument '${first}'`);
  return passed as Passed<Options>;
}

/** What was passed to this process, which ends here with 0 after `--help`, and with 2 after wrong usage. */
export function passedTo<const Options extends ParseArgsOptionsConfig>(line: CommandLine<Options>): Passed<Options> {
  try {
    const passed = readCommandLine(line, process.argv.slice(2));
    if (passed !== null) return passed;
  } catch (error) {
    endWith(line, error);
  }
  process.stdout.write(`${line.help.trimEnd()}\n`);
  process.exit(0);
}

/** Runs a command, and ends the process with the exit code that `main` returns. */
export async function runCommand<const Options extends ParseArgsOptionsConfig>(
  line: CommandLine<Options>,
  main: (passed: Passed<Options>) => number | Promise<number>,
): Promise<never> {
  const passed = passedTo(line);
  try {
    process.exit(await main(passed));
  } catch (error) {
    endWith(line, error);
  }
}

function endWith({ name }: { name: string }, error: unknown): never {
  const isUsage = error instanceof UsageError;
  const message = isMistake(error) ? error.stack : (error as Error).message;
  process.stderr.write(isUsage ? `${name}: ${message} (--help says what it takes)\n` : `${message}\n`);
  process.exit(isUsage ? 2 : 1);
}

/** The folder that is passed as the only argument, if any. @throws UsageError if there is none of that name */
export function folderOf([name]: readonly string[], usual: string): string {
  if (name !== undefined && !statSync(name, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`there is no folder '${name}'`);
  return resolve(name ?? usual);
}

/** The URL of a service, without spaces around it. @throws UsageError for what is none */
export function urlOf(option: string, value: string): string {
  try {
    return serviceUrl(option, value);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Whether an error is one of the command itself, whose place in the sources must be known. */
function isMistake(error: unknown): error is Error {
  return error instanceof Error && [TypeError, ReferenceError, RangeError].some((kind) => error.constructor === kind);
}
