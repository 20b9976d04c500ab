/**
 * The command line of `install`: reads files, environment and, at a terminal, the key; tells how it ended.
 */
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Failure, interrupted } from '../failure.ts';
import { chooseOutput } from '../output/choose.ts';
import { variable, vendor } from '../vendor.ts';
import { abortOnSignals, runCommand } from './common.ts';
import { type InstallResult, install } from './install.ts';

interface Options {
  dir: string;
  json?: boolean;
  keyFile?: string;
  /** Offered by nobody and taken by many: see `refuseKeyInArguments`. */
  key?: string | true;
  controlPlane?: string;
  host?: string;
  port?: number;
  databaseUrlFile?: string;
  start: boolean;
  healthTimeout: number;
}

/** Runs `install` and sets the exit status. */
export async function runInstall(options: Options): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    rejectKeyArgument(options);
    const environment = process.env;
    const isInteractive = process.stdin.isTTY && process.stdout.isTTY && !options.json;
    const result = await install(
      {
        dir: options.dir,
        licenseKey: options.keyFile
          ? await readSecretFile(options.keyFile)
          : environment[variable('LICENSE_KEY')] || undefined,
        askForKey: isInteractive ? askForKey : undefined,
        controlPlaneUrl: options.controlPlane,
        host: options.host,
        port: options.port,
        databaseUrl: options.databaseUrlFile ? await readSecretFile(options.databaseUrlFile) : undefined,
        databaseUrlOfNewBox: environment.DATABASE_URL || undefined,
        operatorSecret: environment.OPERATOR_SECRET,
        hostingSecret: environment.HOSTING_SECRET,
        start: options.start,
        healthSeconds: options.healthTimeout,
        signal: abortOnSignals(),
      },
      output,
    );
    output.result(result, describe(result));
    return 0;
  });
}

function describe(result: InstallResult): string[] {
  const packages = `${Object.keys(result.packages).length} packages`;
  return [
    result.changed
      ? `The box is installed: ${result.tier}, ${packages}.`
      : `Nothing changed: ${result.tier}, ${packages}.`,
    ...(result.running
      ? [`address   ${result.url}`, `documents ${result.url}/docs`, `process   ${result.pid}`]
      : [`It is not running: start it with ${vendor} start.`]),
    `folder    ${result.dir}`,
    `release   ${result.release}`,
  ];
}

/** What stands on a command line is shown to every user of the machine and kept in the shell's history. */
function rejectKeyArgument({ key }: Options): void {
  if (key === undefined) return;
  throw new Failure(
    'usage',
    'a key on the command line is visible to every user of this machine and stays in the shell history',
    `Put it into a file and give --key-file <path>, or set ${variable('LICENSE_KEY')}`,
  );
}

/** @throws Failure usage when it cannot be read or is empty */
async function readSecretFile(path: string): Promise<string> {
  let content: string;
  try {
    content = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : (error as Error).message;
    throw new Failure('usage', `${path} ${reason}`, 'Give the path of a file that can be read');
  }
  if (content.trim() === '') throw new Failure('usage', `${path} is empty`, 'Give a file that holds the value');
  return content.trim();
}

async function askForKey(): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({
    message: 'Licence key',
    validate: (value) => (value?.trim() ? undefined : 'Paste the key you were given.'),
  });
  if (isCancel(answer)) throw interrupted('Nothing was changed');
  return answer;
}
