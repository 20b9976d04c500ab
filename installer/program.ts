/**
 * Runs one command line. The table of commands is `command-line/commands.ts`.
 */
import { setGlobalProxyFromEnv } from 'node:http';
import { CommanderError } from 'commander';
import { buildProgram } from './command-line/parser.ts';
import { asFailure, Failure } from './failure.ts';
import { chooseOutput } from './output/choose.ts';
import { vendor } from './vendor.ts';

/** Runs one command line. Sets the process's exit status; never throws. @param commandLine the arguments of `carton` */
export async function run(commandLine: readonly string[]): Promise<void> {
  process.stdout.on('error', ignoreBrokenPipe);
  // What the command and the box write, others may not change, whatever the shell's umask.
  process.umask(process.umask() | 0o022);
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
