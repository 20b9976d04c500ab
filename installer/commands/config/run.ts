/**
 * The command lines of `config`: values from arguments, files, standard input or a prompt.
 */
import { exitCodes } from '../../exit-codes.ts';
import { Failure, interrupted } from '../../failure.ts';
import { chooseOutput } from '../../output/choose.ts';
import type { Output } from '../../output/output.ts';
import { vendor } from '../../vendor.ts';
import { restart } from '../restart/restart.ts';
import { abortOnSignals, runCommand } from '../support/run-command.ts';
import { readSecretFile } from '../support/secret-file.ts';
import {
  type ChangeResult,
  changeSettings,
  findSettingFaults,
  getSetting,
  listSettings,
  maskSetting,
  type Setting,
} from './config.ts';

interface Options {
  dir: string;
  json?: boolean;
}

interface ChangeOptions extends Options {
  restart?: boolean;
  unchecked?: boolean;
  healthTimeout: number;
}

/** Runs `config list` and sets the exit status. */
export async function runConfigList({ dir, json, set }: Options & { set?: boolean }): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const all = (await listSettings(dir)).map(maskSetting);
    const shown = set ? all.filter(({ source }) => source === 'box.env' || source === 'box.json') : all;
    output.result({ settings: shown }, table(shown));
    return 0;
  });
}

function table(settings: readonly Setting[]): string[] {
  const width = Math.max(...settings.map(({ name }) => name.length), 0);
  return settings.map(({ name, value = '', source, default: defaultValue }) => {
    const line = `${name.padEnd(width)}  ${value.padEnd(24)}`;
    if (source === 'none' || source === 'default') return `${line}  ${source === 'none' ? 'not set' : 'default'}`;
    return `${line}  ${source}${defaultValue === undefined ? '' : ` (default: ${defaultValue})`}`;
  });
}

/** Runs `config get` and sets the exit status. The value alone is printed, for scripts. */
export async function runConfigGet({ dir, json, name, reveal }: Options & { name: string; reveal?: boolean }) {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const found = await getSetting(dir, name);
    const setting = reveal ? found : maskSetting(found);
    if (json) output.result(setting, []);
    else process.stdout.write(`${setting.value ?? ''}\n`);
    return 0;
  });
}

/** Runs `config set` and sets the exit status. */
export async function runConfigSet(options: ChangeOptions & { settings: string[]; fromFile?: string }): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, async () => {
    const changes = await readChanges(options, output);
    return change(options, changes, output);
  });
}

/** Runs `config unset` and sets the exit status. */
export async function runConfigUnset(options: ChangeOptions & { names: string[] }): Promise<void> {
  const output = await chooseOutput(options);
  await runCommand(output, () =>
    change(options, new Map(options.names.map((name) => [checkName(name), null])), output),
  );
}

/** Runs `config check` and sets the exit status: 0 only without faults. */
export async function runConfigCheck({ dir, json }: Options): Promise<void> {
  const output = await chooseOutput({ json });
  await runCommand(output, async () => {
    const faults = await findSettingFaults(dir);
    for (const fault of faults) output.problem(fault);
    const exitCode = exitCodes[faults.length > 0 ? 'problems_found' : 'ok'].status;
    const summary = faults.length === 0 ? 'The settings are right.' : `${faults.length} to correct.`;
    output.result({ faults }, [summary], exitCode);
    return exitCode;
  });
}

async function change(options: ChangeOptions, changes: ReadonlyMap<string, string | null>, output: Output) {
  const { dir, unchecked, healthTimeout } = options;
  const result = await changeSettings(dir, changes, { unchecked });
  const { changed, restartNeeded } = result;
  if (!options.restart || !restartNeeded) {
    output.result({ ...result, restarted: false }, describe(result));
    return 0;
  }
  output.info('changed', `changed: ${changed.join(', ')}`, { changed });
  const box = await restart({ dir, healthSeconds: healthTimeout, signal: abortOnSignals() }, output);
  const facts = { ...result, restartNeeded: false, restarted: true, pid: box.pid, url: box.url };
  output.result(facts, [`The box runs with the new settings at ${box.url}.`]);
  return 0;
}

function describe({ changed, restartNeeded }: ChangeResult): string[] {
  if (changed.length === 0) return ['Nothing to change.'];
  const next = restartNeeded ? [`The box runs with the former values until ${vendor} restart.`] : [];
  return [`Changed: ${changed.join(', ')}.`, ...next];
}

async function readChanges(
  { settings, fromFile, json }: { settings: string[]; fromFile?: string; json?: boolean },
  output: Output,
): Promise<Map<string, string>> {
  const [first = '', second] = settings;
  const source = fromFile ?? (settings.length === 2 && second === '-' ? '-' : undefined);
  if (source !== undefined) {
    if (first.includes('=') || settings.length > (fromFile === undefined ? 2 : 1)) {
      throw new Failure(
        'usage',
        'a file has the value of one setting',
        `Use ${vendor} config set NAME --from-file <path>`,
      );
    }
    return new Map([[checkName(first), await readSecretFile(source)]]);
  }
  if (settings.length === 1 && !first.includes('=') && process.stdin.isTTY && process.stdout.isTTY && !json) {
    return new Map([[checkName(first), await askForValue(first)]]);
  }
  const changes = new Map<string, string>();
  for (const setting of settings) {
    const at = setting.indexOf('=');
    if (at < 1) {
      const advice = `Use ${vendor} config set NAME=value, or NAME - to read the value from standard input`;
      throw new Failure('usage', `${setting} is not NAME=value`, advice);
    }
    changes.set(checkName(setting.slice(0, at)), setting.slice(at + 1));
  }
  const exposed = [...changes.keys()].filter((name) => /SECRET|PASSWORD|_KEY$|TOKEN|DATABASE_URL/.test(name));
  if (exposed.length > 0) {
    output.warn(
      `${exposed.join(', ')} on the command line was visible to all users of this machine and stays in the shell history; next time use ${vendor} config set ${exposed[0]} -`,
    );
  }
  return changes;
}

function checkName(name: string): string {
  if (/^[A-Za-z_]\w*$/.test(name)) return name;
  throw new Failure('usage', `${name} is not the name of a setting`, `Run ${vendor} config list for the names`);
}

async function askForValue(name: string): Promise<string> {
  const { isCancel, password } = await import('@clack/prompts');
  const answer = await password({ message: name });
  if (isCancel(answer)) throw interrupted('Nothing was changed');
  return answer ?? '';
}
