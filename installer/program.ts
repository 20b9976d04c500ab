/**
 * The command line: commands, options and help. A command's implementation is loaded only when it runs.
 */
import { setGlobalProxyFromEnv } from 'node:http';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { asFailure, Failure } from './failure.ts';
import { chooseOutput } from './output/choose.ts';
import { variable, vendor, version } from './vendor.ts';

/** Runs one command line. Sets the process's exit status; never throws. @param commandLine the arguments of `carton` */
export async function run(commandLine: readonly string[]): Promise<void> {
  process.stdout.on('error', ignoreBrokenPipe);
  try {
    // The registry's client honours HTTPS_PROXY and NO_PROXY; this makes the control plane's client do the same.
    setGlobalProxyFromEnv();
    await buildProgram().parseAsync(commandLine, { from: 'user' });
  } catch (error) {
    const failure = error instanceof CommanderError ? toUsageFailure(error) : asFailure(error);
    if (!failure) return; // help was requested and printed
    const output = await chooseOutput({ json: commandLine.includes('--json') });
    output.failure(failure);
    process.exitCode = failure.exitCode;
  }
}

/** Builds commander's definition of the command line. */
export function buildProgram(): Command {
  const program = new Command(vendor)
    .description(`Installs and runs a ${vendor} box, the commerce backend of your licence, on this machine.`)
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('<command> [options]')
    .showSuggestionAfterError()
    .configureOutput({ writeErr: () => undefined })
    .exitOverride();
  program.addHelpText('after', () =>
    helpTail([`${vendor} install --key-file licence.txt`, `${vendor} status`], allCodes),
  );

  addInstall(program);
  command(program, 'start', 'start the box and wait until it is healthy', {
    examples: [`${vendor} start`, `${vendor} start --foreground   # for systemd and containers`],
    codes: ['ok', 'port_taken', 'box_not_healthy', 'busy', 'not_installed', 'interrupted'],
  })
    .option(
      '--foreground',
      'run the box in the foreground: print its output, restart it after a crash, exit when it is stopped',
    )
    .addOption(healthTimeout())
    .addOption(
      new Option(
        '--watchdog <seconds>',
        'restart a box in the foreground that has not responded for so long; 0 for never',
      )
        .argParser(seconds)
        .default(30),
    )
    .action(async (options) => (await import('./commands/run-start.ts')).runStart(options));
  command(program, 'stop', 'stop the box after requests in flight have finished', {
    examples: [`${vendor} stop`, `${vendor} stop --timeout 5 --force`],
    codes: ['ok', 'busy', 'not_installed', 'did_not_stop'],
  })
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait (default: 30 plus DRAIN_SECONDS of box.env)').argParser(
        seconds,
      ),
    )
    .option('--force', 'kill the box if it has not stopped by then')
    .action(async (options) => (await import('./commands/run-stop.ts')).runStop(options));
  command(program, 'restart', 'stop the box, and start it again with the settings on disk', {
    examples: [`${vendor} restart                      # after a change of box.env`],
    codes: ['ok', 'port_taken', 'box_not_healthy', 'busy', 'not_installed', 'did_not_stop', 'interrupted'],
  })
    .addOption(healthTimeout())
    .action(async (options) => (await import('./commands/run-start.ts')).runRestart(options));
  command(program, 'logs', 'print the last lines of the box’s log', {
    examples: [`${vendor} logs --lines 20`, `${vendor} logs --follow`],
    codes: ['ok', 'not_installed'],
  })
    .addOption(
      new Option('-n, --lines <number>', 'how many of the last lines to print').argParser(wholeNumber).default(100),
    )
    .option('-f, --follow', 'go on with new lines until Ctrl-C')
    .action(async (options) => (await import('./commands/run-logs.ts')).runLogs(options));
  command(program, 'doctor', 'say what is wrong with the box, and the command that mends it', {
    examples: [`${vendor} doctor`, `${vendor} doctor --offline`],
    codes: ['ok', 'usage', 'not_installed', 'problems_found', 'interrupted'],
  })
    .option('--offline', 'leave out the checks that need the network')
    .action(async (options) => (await import('./commands/run-doctor.ts')).runDoctor(options));
  command(program, 'uninstall', 'stop the box and remove its program; its data and secrets stay', {
    examples: [`${vendor} uninstall`, `${vendor} uninstall --data          # asks first`],
    codes: ['ok', 'busy', 'not_installed', 'did_not_stop', 'folder_unusable', 'interrupted'],
  })
    .option('--data', 'remove the embedded database, files, secrets and logs too')
    .option('--yes', 'do not ask before the removal of data')
    .action(async (options) => (await import('./commands/run-uninstall.ts')).runUninstall(options));
  addService(program);
  command(program, 'status', 'show what is installed and whether the box is running and healthy', {
    examples: [`${vendor} status`, `${vendor} status --json`],
    codes: ['ok', 'box_not_healthy', 'not_installed', 'not_running'],
  }).action(async (options) => (await import('./commands/run-status.ts')).runStatus(options));
  return program;
}

function addInstall(program: Command): void {
  command(program, 'install', 'install a box, or update the installed one', {
    examples: [
      `${vendor} install --key-file licence.txt`,
      `${vendor} install --key-file - < licence.txt`,
      `${vendor} install --port 8080 --database-url-file database.txt`,
      `${vendor} install                      # update, or change the tier`,
    ],
    codes: allCodes.filter((code) => !['not_installed', 'not_running', 'problems_found'].includes(code)),
  })
    .option('--key-file <path>', `file with the licence key, - for standard input (or set ${variable('LICENSE_KEY')})`)
    .addOption(new Option('--control-plane <url>', 'URL of the control plane').env(variable('CONTROL_PLANE_URL')))
    .option('--host <address>', 'address to listen on (127.0.0.1 for a new box)')
    .addOption(new Option('--port <number>', 'port to listen on (3001 for a new box)').argParser(wholeNumber))
    .option(
      '--database-url-file <path>',
      'file with the URL of your own PostgreSQL database (for a new box, or set DATABASE_URL)',
    )
    .option('--no-start', 'install the packages without starting the box')
    .option('--allow-yanked', 'install versions that the vendor has yanked')
    .addOption(healthTimeout())
    .addOption(new Option('--key [key]').hideHelp())
    .action(async (options) => (await import('./commands/run-install.ts')).runInstall(options));
}

function addService(program: Command): void {
  const service = program
    .command('service')
    .description('Runs the box as a service of systemd, which starts it at boot and watches it.')
    .summary('run the box as a service of systemd')
    .helpOption('-h, --help', 'print this help');
  const load = () => import('./commands/run-service.ts');
  const name = () => new Option('--name <name>', `name of the service (default: ${vendor})`);
  const user = () => new Option('--user <name>', 'user the box runs as (default: the owner of the folder)');
  command(service, 'install', 'write the unit, start the service now and at boot', {
    examples: [`sudo ${vendor} service install --dir /srv/store`],
    codes: ['ok', 'usage', 'box_not_healthy', 'busy', 'not_installed', 'did_not_stop', 'folder_unusable'],
  })
    .addOption(name())
    .addOption(user())
    .action(async (options) => (await load()).runServiceInstall(options));
  command(service, 'uninstall', 'stop the service and remove its unit; the box stays', {
    examples: [`sudo ${vendor} service uninstall --dir /srv/store`],
    codes: ['ok', 'usage'],
  })
    .addOption(name())
    .action(async (options) => (await load()).runServiceUninstall(options));
  command(service, 'status', 'show the state of the service', {
    examples: [`${vendor} service status --dir /srv/store`],
    codes: ['ok', 'usage', 'not_installed', 'not_running'],
  })
    .addOption(name())
    .action(async (options) => (await load()).runServiceStatus(options));
  command(service, 'unit', 'print the unit without installing it', {
    examples: [`${vendor} service unit --user store > store.service`],
    codes: ['ok', 'not_installed'],
  })
    .addOption(user())
    .action(async (options) => (await load()).runServiceUnit(options));
}

/** Adds a command with the options that all commands share. */
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
    .addOption(new Option('--dir <folder>', 'folder of the box').env(variable('BOX_DIR')).default(`./${vendor}-box`))
    .option('--json', 'print JSON events, one per line')
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
  return new Option('--health-timeout <seconds>', 'how long to wait until the box is healthy')
    .argParser(seconds)
    .default(120);
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Expected a number of seconds.');
  return value;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

/** Converts an error of commander. @returns undefined when it only printed help */
function toUsageFailure(error: CommanderError): Failure | undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help') {
    return new Failure('usage', 'no command specified', `Run ${vendor} --help for a list of commands`);
  }
  return new Failure('usage', error.message.replace(/^error: /, ''), `Run ${vendor} <command> --help for its options`);
}

/** In `carton install | head -1` the reader closes the pipe early: the command goes on without its output. */
function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
