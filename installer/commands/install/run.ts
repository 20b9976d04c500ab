/**
 * The command line of `install`: reads files and the environment, prompts for the key at a terminal, prints the result.
 */
import { Failure, interrupted } from '../../failure.ts';
import { chooseOutput } from '../../output/choose.ts';
import { variable, vendor } from '../../vendor.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { readSecretFile } from '../support/secret-file.ts';
import { type InstallResult, install } from './install.ts';

interface Options {
  dir: string;
  json?: boolean;
  keyFile?: string;
  /** Accepted only to explain why it is unsafe: see `rejectKeyArgument`. */
  key?: string | true;
  controlPlane?: string;
  host?: string;
  port?: number;
  databaseUrlFile?: string;
  start: boolean;
  allowYanked?: boolean;
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
        allowYanked: options.allowYanked,
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
      ? `The box is installed: ${result.tier} tier, ${packages}.`
      : `The box is up to date: ${result.tier} tier, ${packages}.`,
    ...(result.running
      ? [`address   ${result.url}`, `API docs  ${result.url}/docs`, `process   ${result.pid}`]
      : [`It is not running. Start it with ${vendor} start.`]),
    `folder    ${result.dir}`,
    `release   ${result.release}`,
  ];
}

/** Arguments are visible to all users of the machine and stored in the shell history. */
function rejectKeyArgument({ key }: Options): void {
  if (key === undefined) return;
  throw new Failure(
    'usage',
    'a licence key on the command line is visible to all users of this machine and stays in the shell history',
    `Save the key in a file and use --key-file <path>, or set ${variable('LICENSE_KEY')}`,
  );
}

async function askForKey(): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({
    message: 'Licence key',
    validate: (value) => (value?.trim() ? undefined : 'Enter your licence key.'),
  });
  if (isCancel(answer)) throw interrupted('Nothing was changed');
  return answer;
}
