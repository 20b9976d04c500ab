/**
 * The command line: which commands there are, what they take, and what their help says. The work of each is loaded only
 * when it is called.
 */
import { setGlobalProxyFromEnv } from 'node:http';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { asFailure, Failure } from './failure.ts';
import { chooseOutput } from './output/choose.ts';
import { variable, vendor, version } from './vendor.ts';

/** Runs one command line. Sets the process's exit status; never throws. @param words what follows the command's name */
export async function run(words: readonly string[]): Promise<void> {
  process.stdout.on('error', quietWhenNobodyReads);
  try {
    // The registry's client follows HTTPS_PROXY and NO_PROXY by itself; this makes the control plane's do the same.
    setGlobalProxyFromEnv();
    await buildProgram().parseAsync(words, { from: 'user' });
  } catch (error) {
    const failure = error instanceof CommanderError ? usageFailure(error) : asFailure(error);
    if (!failure) return; // help was asked for and printed
    const output = await chooseOutput({ json: words.includes('--json') });
    output.failure(failure);
    process.exitCode = failure.exitCode;
  }
}

/** The whole command line, as commander knows it. */
export function buildProgram(): Command {
  const program = new Command(vendor)
    .description(`Installs and runs a ${vendor} box: the commerce backend of your licence, on this machine.`)
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .usage('<command> [options]')
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();
  program.addHelpText('after', () =>
    helpTail([`${vendor} install --key-file licence.txt`, `${vendor} status`], allCodes),
  );

  addInstall(program);
  command(program, 'start', 'start the installed box and wait until it answers', {
    examples: [`${vendor} start`, `${vendor} start --foreground   # for systemd and containers`],
    codes: ['ok', 'port_taken', 'box_not_healthy', 'busy', 'not_installed', 'interrupted'],
  })
    .option(
      '--foreground',
      'stay the parent of the box: pass its output on, start it again when it crashes, end when it has been stopped',
    )
    .addOption(healthTimeout())
    .action(async (options) => (await import('./commands/run-start.ts')).runStart(options));
  command(program, 'stop', 'stop the box, requests under way first', {
    examples: [`${vendor} stop`, `${vendor} stop --timeout 5 --force`],
    codes: ['ok', 'busy', 'not_installed', 'did_not_stop'],
  })
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait (default: 30 and its DRAIN_SECONDS)').argParser(seconds),
    )
    .option('--force', 'kill the box when it has not stopped in that time')
    .action(async (options) => (await import('./commands/run-stop.ts')).runStop(options));
  command(program, 'status', 'say what is installed, whether it runs and whether it answers', {
    examples: [`${vendor} status`, `${vendor} status --json`],
    codes: ['ok', 'box_not_healthy', 'not_installed', 'not_running'],
  }).action(async (options) => (await import('./commands/run-status.ts')).runStatus(options));
  return program;
}

function addInstall(program: Command): void {
  command(program, 'install', 'install a box, or bring one to what its licence now gives', {
    examples: [
      `${vendor} install --key-file licence.txt`,
      `${vendor} install --key-file - < licence.txt`,
      `${vendor} install --port 8080 --database-url-file database.txt`,
      `${vendor} install                      # again: newer packages, or another tier`,
    ],
    codes: allCodes.filter((code) => !['not_installed', 'not_running'].includes(code)),
  })
    .option(
      '--key-file <path>',
      `file that holds the licence key; - reads it from standard input (or ${variable('LICENSE_KEY')})`,
    )
    .addOption(new Option('--control-plane <url>', 'address of the control plane').env(variable('CONTROL_PLANE_URL')))
    .option('--host <address>', 'address the box listens on (127.0.0.1 at first)')
    .addOption(new Option('--port <number>', 'port the box listens on (3001 at first)').argParser(wholeNumber))
    .option(
      '--database-url-file <path>',
      'file that holds the address of your own PostgreSQL (or DATABASE_URL, for a new box)',
    )
    .option('--no-start', 'lay the packages out without starting the box')
    .addOption(healthTimeout())
    .addOption(new Option('--key [key]').hideHelp())
    .action(async (options) => (await import('./commands/run-install.ts')).runInstall(options));
}

/** A command with what all commands share. */
function command(
  program: Command,
  name: string,
  summary: string,
  help: { examples: string[]; codes: ExitCode[] },
): Command {
  return program
    .command(name)
    .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`)
    .summary(summary)
    .addOption(new Option('--dir <folder>', "the box's folder").env(variable('BOX_DIR')).default(`./${vendor}-box`))
    .option('--json', 'print one JSON event a line')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', () => helpTail(help.examples, help.codes))
    .allowExcessArguments(false);
}

const allCodes = Object.keys(exitCodes) as ExitCode[];

function helpTail(examples: string[], codes: ExitCode[]): string {
  const table = codes.map((code) => `  ${String(exitCodes[code].status).padStart(3)}  ${exitCodes[code].meaning}`);
  return `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}\n\nExit codes:\n${table.join('\n')}`;
}

function healthTimeout(): Option {
  return new Option('--health-timeout <seconds>', 'how long the box may take to answer')
    .argParser(seconds)
    .default(120);
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('It must be a number of seconds.');
  return value;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a number.');
  return Number(text);
}

/** commander's own complaints in this command's form. @returns undefined when it only printed help */
function usageFailure(error: CommanderError): Failure | undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help') {
    return new Failure('usage', 'no command is given', `Run ${vendor} --help to see what there is`);
  }
  return new Failure(
    'usage',
    error.message.replace(/^error: /, ''),
    `Run ${vendor} <command> --help to see what it takes`,
  );
}

/** `carton status | head -1`: the reader has what it wanted. */
function quietWhenNobodyReads(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
}
