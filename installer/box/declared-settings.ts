/**
 * The settings that an installed release declares, and its check of those of a box. The release is asked by a program of
 * its own, which needs neither the database nor the network.
 */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { Failure } from '../failure.ts';
import type { BoxFolder } from './folder.ts';
import { exists, releaseEntry } from './folder.ts';
import { boxEnvironment, type Launch } from './launch.ts';

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
  const program = join(dirname(releaseEntry(folder, launch.release)), 'check-settings.js');
  if (!(await exists(program))) return undefined;
  const environment = boxEnvironment(folder, launch);
  return new Promise((resolve, reject) => {
    const options = { cwd: folder.root, env: environment, timeout: timeoutMilliseconds, maxBuffer: 16 * 2 ** 20 };
    execFile(process.execPath, [program], options, (error, stdout, stderr) => {
      const report = parseReport(stdout);
      if (report) return resolve(report);
      const lines = stderr.split('\n');
      const reason = lines.find((line) => /^\w*Error\b/.test(line)) ?? error?.message.split('\n')[0] ?? 'no response';
      reject(
        new Failure('box_not_healthy', `release ${launch.release} cannot check its settings: ${reason}`, 'Run doctor'),
      );
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
