/**
 * What no subject sees, checked when all have ended: services that have ended by themselves, errors that only the
 * installed box has logged, and processes that are left.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { processesWith } from '@carton/runtime/testing';
import { boxFolder, logFile, type StackSettings } from '../../tools/shipped-stack/settings.ts';
import type { Stack } from '../../tools/shipped-stack/stack.ts';
import { masked } from '../mirror/values.ts';
import type { Failure } from './results.ts';

interface LoggedError {
  message: string;
  line: string;
}

/** The level from which pino's lines are errors. */
const errorLevel = 50;

/** Stops the stack, and returns what was wrong with it. */
export async function stopAndCheck(stack: Stack): Promise<Failure[]> {
  const { settings } = stack;
  const ended = stack.ended().map((name) => `${name} runs until it is stopped`);
  const errors = await errorsOfBox(settings);
  await stack.stop();
  const left = processesWith(`${settings.folder}/`).filter(({ pid }) => pid !== process.pid && pid !== process.ppid);
  const failure = (name: string, details: string[] = []) => ({ name: `stack > ${name}`, place: '', details });
  return [
    ...ended.map((name) => failure(name)),
    ...errors.map(({ message, line }) => failure(`the box logs no error of its own: ${message}`, [line])),
    ...(left.length > 0
      ? [
          failure(
            'no process is left',
            left.map(({ commandLine }) => commandLine),
          ),
        ]
      : []),
  ];
}

/** Errors of the installed box without a counterpart in the log of the one from sources, each kind once. */
async function errorsOfBox(settings: Pick<StackSettings, 'folder'>): Promise<LoggedError[]> {
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
    const { level = 0, msg, err } = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
    // A failed request is the matter of the subject that sent it. What the supervisor logs has no level.
    if (level < errorLevel || msg === 'request failed') return [];
    return [{ message: masked([msg, err?.message].filter(Boolean).join(': ')), line }];
  });
}
