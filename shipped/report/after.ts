/**
 * What is checked when the subjects have ended: errors that only the installed box has logged, and processes that are
 * left.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { masked } from '../mirror/values.ts';
import { boxFolder, logFile, type StackSettings } from '../stack/settings.ts';

interface LoggedError {
  message: string;
  line: string;
}

/** The level from which pino's lines are errors. */
const errorLevel = 50;

/** Errors of the installed box without a counterpart in the log of the one from sources, each kind once. */
export async function errorsOfBox(settings: Pick<StackSettings, 'folder'>): Promise<LoggedError[]> {
  const logs = join(boxFolder(settings), 'logs');
  const files = (await readdir(logs)).filter((file) => file.startsWith('box.log') && !file.endsWith('.gz'));
  const own = await Promise.all(files.map((file) => readErrors(join(logs, file))));
  const known = new Set((await readErrors(logFile(settings, 'source-box'))).map(({ message }) => message));
  const found = new Map(own.flat().map((error) => [error.message, error]));
  return [...found.values()].filter(({ message }) => !known.has(message));
}

async function readErrors(file: string): Promise<LoggedError[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
  return lines.flatMap((line) => {
    const { level, msg, err } = JSON.parse(line) as { level: number; msg?: string; err?: { message?: string } };
    // A failed request is the matter of the subject that sent it.
    if (level < errorLevel || msg === 'request failed') return [];
    return [{ message: masked([msg, err?.message].filter(Boolean).join(': ')), line }];
  });
}

/** The command lines of processes that name the folder. */
export async function processesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid || Number(name) === process.ppid) continue;
    const command = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim();
    // The command that was given may name it too.
    if (command.includes(`${folder}/`)) found.push(`${name} ${command}`);
  }
  return found;
}
