/**
 * The settings that an installed release declares, its check of those of a box, and the environment of a box, which has no
 * others. The release is asked by a program of its own, which needs neither the database nor the network.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import { commonEnvironment, type Launch } from './environment.ts';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import { exists, releaseEntry, releaseFolder } from './folder.ts';
import { heapOptions, memoryOfMachine } from './heap.ts';
import { earlierSettings, ignoredVariables, passedVariables } from './known-variables.ts';

/** A setting as a release declares it (runtime/check-settings.ts). */
export interface DeclaredSetting {
  name: string;
  default?: string;
  description: string;
  secret: boolean;
}

export interface SettingsReport {
  settings: DeclaredSetting[];
  /** What is wrong with the settings of the box, a sentence each. */
  faults: string[];
}

const timeoutMilliseconds = 60_000;

/**
 * Asks the release of a launch.
 * @returns undefined for a release of before it could be asked
 * @throws Failure box_not_healthy if the release cannot say
 */
export async function askRelease(folder: BoxFolder, launch: Launch): Promise<SettingsReport | undefined> {
  if (!(await exists(programOf(folder, launch.release)))) return undefined;
  return runProgram(folder, launch.release, await boxEnvironment(folder, launch));
}

/**
 * Returns the environment of a box: what the command sets, some variables that it inherits, and the settings in `box.env`.
 * @param processes how many share the memory of the machine
 */
export async function boxEnvironment(folder: BoxFolder, launch: Launch, processes = 1): Promise<NodeJS.ProcessEnv> {
  const { inherited, set } = commonEnvironment(folder, launch);
  const passed = passedVariables(launch.secrets, await declaredNames(folder, launch.release));
  // The last value of a repeated option counts: the operator's.
  const options = [heapOptions(memoryOfMachine() / processes), passed.NODE_OPTIONS].filter(Boolean).join(' ');
  return { ...inherited, ...passed, ...set, NODE_OPTIONS: options };
}

/** Names the variables of `box.env` that do not reach the box of a launch. */
export async function findIgnored(folder: BoxFolder, { release, secrets }: Launch): Promise<string[]> {
  return ignoredVariables(secrets, await declaredNames(folder, release));
}

const asked = new Map<string, Promise<ReadonlySet<string>>>();

/**
 * The names of the settings that a release declares. They are asked once, and kept beside its packages, which do not change.
 * @throws Failure box_not_healthy if the release cannot say
 */
export function declaredNames(folder: BoxFolder, release: string): Promise<ReadonlySet<string>> {
  const place = releaseFolder(folder, release);
  const present = asked.get(place);
  if (present) return present;
  const names = readNames(folder, release);
  asked.set(place, names);
  names.catch(() => asked.delete(place));
  return names;
}

async function readNames(folder: BoxFolder, release: string): Promise<ReadonlySet<string>> {
  if (!(await exists(programOf(folder, release)))) {
    // The release may still be pulled.
    asked.delete(releaseFolder(folder, release));
    return earlierSettings;
  }
  const file = join(releaseFolder(folder, release), '.settings.json');
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return new Set(JSON.parse(kept) as string[]);
  const { inherited, set } = commonEnvironment(folder, { release, host: '', port: 0 });
  const { settings } = await runProgram(folder, release, {
    ...inherited,
    ...set,
    NODE_OPTIONS: heapOptions(),
  });
  const names = settings.map(({ name }) => name);
  // A command of another user cannot write there, and asks each time.
  await writeAtomically(file, JSON.stringify(names)).catch(() => undefined);
  return new Set(names);
}

function programOf(folder: BoxFolder, release: string): string {
  return join(dirname(releaseEntry(folder, release)), 'check-settings.js');
}

function runProgram(folder: BoxFolder, release: string, environment: NodeJS.ProcessEnv): Promise<SettingsReport> {
  return new Promise((resolve, reject) => {
    const options = { cwd: folder.root, env: environment, timeout: timeoutMilliseconds, maxBuffer: 16 * 2 ** 20 };
    execFile(process.execPath, [programOf(folder, release)], options, (error, stdout, stderr) => {
      const report = parseReport(stdout);
      if (report) return resolve(report);
      const lines = stderr.split('\n');
      const reason = lines.find((line) => /^\w*Error\b/.test(line)) ?? error?.message.split('\n')[0] ?? 'no response';
      reject(new Failure('box_not_healthy', `release ${release} cannot check its settings: ${reason}`, 'Run doctor'));
    });
  });
}

function parseReport(text: string): SettingsReport | undefined {
  try {
    const report = JSON.parse(text) as SettingsReport;
    return Array.isArray(report.settings) && Array.isArray(report.faults) ? report : undefined;
  } catch {
    return undefined;
  }
}
