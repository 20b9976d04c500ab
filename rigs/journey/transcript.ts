/**
 * The transcript of journeys: each command with its output and time, free of what differs between machines.
 */

import { writeFile } from 'node:fs/promises';
import type { Ended, User } from './system.ts';

/** Most lines of the output of a command that are shown. */
const maxLines = 24;

export interface Transcript {
  /** Begins a part. */
  part(title: string): void;
  /** Adds a remark between commands. */
  remark(text: string): void;
  command(line: string, user: User, ended: Ended): void;
  /** The parts as Markdown. */
  text(): string;
}

/** @param replacements texts of this run and what is shown instead, such as ports */
export function newTranscript(replacements: () => readonly (readonly [string, string])[]): Transcript {
  const parts: string[] = [];
  let open = false;
  const add = (text: string, isCode: boolean) => {
    if (open !== isCode) parts.push(isCode ? '\n```console\n' : '```\n\n');
    open = isCode;
    parts.push(replacements().reduce((all, [found, shown]) => all.replaceAll(found, shown), text));
  };
  return {
    part: (title) => add(`## ${title}\n`, false),
    remark: (text) => add(`${text}\n`, false),
    command(line, { uid }, { output, milliseconds, status }) {
      const lines = output.trimEnd().split('\n').filter(Boolean);
      const left = lines.length - maxLines;
      const head = maxLines / 2;
      const shown = left > 1 ? [...lines.slice(0, head), `… ${left} more lines`, ...lines.slice(-head)] : lines;
      const end = `[${(milliseconds / 1000).toFixed(1)} s${status === 0 ? '' : `, exit status ${status}`}]`;
      add([`${uid === 0 ? '#' : '$'} ${line}`, ...shown, end, ''].join('\n'), true);
    },
    text: () => parts.join('') + (open ? '```\n' : ''),
  };
}

const document = new URL('../../docs/journey.md', import.meta.url);
const introduction = `# The journey of a partner

The transcript of \`npm run journey -- --document yes\`: the binary installs a box on bare Debian systems, without Node.js, npm or PostgreSQL, from a control plane and a gated registry on the same machine. Shoppers buy while the operator works. The run fails if a request fails during an upgrade, if an order is lost, or if a command ends with another status than shown. Ports are shown as the default ones.

`;

/** Writes docs/journey.md. */
export async function writeTranscript(transcript: Transcript): Promise<void> {
  await writeFile(document, introduction + transcript.text());
}
