// The arguments of a service that is configured by its environment: `--help`, and nothing else.

import { parseArgs } from 'node:util';
import { fileSettingOf } from './secret-files.ts';

export interface ServiceHelp {
  /** `npm run registry --` */
  command: string;
  /** What it does, in one sentence; it is followed by "until SIGTERM or SIGINT". */
  about: string;
  settings: Record<string, { default?: unknown; description?: string }>;
  /** Names of the settings that must be set. */
  required: readonly string[];
}

/** Ends the process after `--help` (exit code 0), or for other arguments (2, with one line on standard error). */
export function answerArguments(help: ServiceHelp): void {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) end(0, helpText(help));
  } catch (error) {
    end(2, `${(error as Error).message.split('\n')[0]}\n`);
  }
}

function end(code: number, message: string): never {
  (code === 0 ? process.stdout : process.stderr).write(message);
  process.exit(code);
}

function helpText({ command, about, settings, required }: ServiceHelp): string {
  const rows = Object.entries(settings).map(([name, { default: defaultValue, description }]) => {
    const byFile = fileSettingOf(name) in settings ? `, or ${fileSettingOf(name)}` : '';
    const value = required.includes(name)
      ? ` (required${byFile})`
      : defaultValue === undefined
        ? ''
        : ` (${defaultValue})`;
    // Links of Markdown lead nowhere in a terminal.
    return `  ${name}${value}\n      ${description?.replace(/ \(\[[^\]]+\]\([^)]+\)\)/g, '')}`;
  });
  return `${[
    `Usage: ${command} [--help]`,
    '',
    `${about} until SIGTERM or SIGINT. It is configured by its environment:`,
    '',
    ...rows,
    '',
    'Exit codes: 0 stopped by a signal, 1 cannot start, 2 wrong arguments',
  ].join('\n')}\n`;
}
