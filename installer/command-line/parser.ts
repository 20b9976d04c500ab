/**
 * Commander's definition of the command line, derived from the table of commands.
 */
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import {
  type ArgumentDefinition,
  allCodes,
  type CommandDefinition,
  type CommandTable,
  codesOf,
  type OptionDefinition,
  type OptionType,
  optionsOf,
} from '../commands/support/definition.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { nameCommand } from '../output/choose.ts';
import { vendor, version } from '../vendor.ts';
import { commands, groups } from './commands.ts';

/** Builds the parser of command lines. Its help is as wide as the terminal, or 80 columns in a pipe. */
export function buildProgram(): Command {
  const program = new Command(vendor)
    .description(`Installs and runs a ${vendor} box, the commerce backend of your licence, on this machine.`)
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('<command> [options]')
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => undefined })
    // `--version` after a command is an option of the command.
    .enablePositionalOptions()
    .exitOverride();
  program.addHelpText('after', () =>
    helpTail([`${vendor} install --key-file licence.txt`, `${vendor} status`], allCodes),
  );
  const parents = new Map<string, Command>();
  for (const definition of commands) {
    const [group, word] = definition.name.split(' ') as [string, string?];
    if (word === undefined) {
      addCommand(program, group, definition);
      continue;
    }
    const parent = parents.get(group) ?? addGroup(program, group);
    parents.set(group, parent);
    addCommand(parent, word, definition);
  }
  return program;
}

/** The help of a command, 80 columns wide whatever the environment. @param name as in the table of commands */
export function helpOf(name: string): string {
  let command = buildProgram();
  for (const word of name.split(' ')) {
    const found = command.commands.find((each) => each.name() === word);
    if (!found) throw new Error(`there is no command ${name}`);
    command = found;
  }
  let text = '';
  command.configureOutput({
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

function addGroup(program: Command, name: string): Command {
  const summary = groups[name] ?? '';
  return program
    .command(name)
    .description(sentence(summary))
    .summary(summary)
    .helpOption('-h, --help', 'print this help');
}

function addCommand(parent: Command, word: string, definition: CommandDefinition): void {
  const { name, summary, examples, isDefault } = definition;
  const command = parent
    .command(word, { isDefault })
    .description(sentence(summary))
    .summary(summary)
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', () => helpTail(examples, codesOf(definition)))
    .allowExcessArguments(false);
  for (const argument of definition.arguments ?? []) command.addArgument(toArgument(argument));
  for (const option of optionsOf(definition)) command.addOption(toOption(option));
  command.action(async (...parameters: unknown[]) => {
    nameCommand(name);
    const values = Object.fromEntries(command.registeredArguments.map((each, at) => [each.name(), parameters[at]]));
    const run = (await definition.load()) as (options: object, table: CommandTable) => Promise<void>;
    await run({ ...command.opts(), ...values }, { commands, groups });
  });
}

function toArgument({ name, description, choices }: ArgumentDefinition): Argument {
  const argument = new Argument(name, description);
  return choices ? argument.choices(choices) : argument;
}

function toOption(definition: OptionDefinition): Option {
  const { flags, description, type, env, choices, hidden } = definition;
  const option = new Option(flags, description).hideHelp(hidden === true);
  if (type && readers[type]) option.argParser(readers[type]);
  if (choices) option.choices(choices);
  if (env) option.env(env);
  return definition.default === undefined ? option : option.default(definition.default);
}

const readers: Partial<Record<OptionType, (text: string) => number>> = {
  seconds(text) {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
    throw new InvalidArgumentError('Expected a number of seconds.');
  },
  wholeNumber(text) {
    if (/^\d+$/.test(text)) return Number(text);
    throw new InvalidArgumentError('Expected a whole number.');
  },
};

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function helpTail(examples: readonly string[], codes: readonly ExitCode[]): string {
  const table = codes.map((code) => `  ${String(exitCodes[code].status).padStart(3)}  ${exitCodes[code].meaning}`);
  return `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}\n\nExit codes:\n${table.join('\n')}`;
}
