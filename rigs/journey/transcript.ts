/**
 * The transcript of journeys: each command with its output and time, free of what differs between machines.
 */

import { readFile, writeFile } from 'node:fs/promises';
import type { Ended, User } from './system.ts';

/** Most lines of the output of a command that are shown. */
const maxLines = 24;

export interface Transcript {
  /** Begins a part. */
  part(title: string): void;
  /** Adds a remark between commands. */
  remark(text: string): void;
  command(line: string, user: User, ended: Ended): void;
  /** The parts as Markdown, by title. */
  parts(): Map<string, string>;
}

interface Block {
  kind: 'remark' | 'commands';
  lines: string[];
}

/** @param ports the ports of this run, and those that are shown instead */
export function newTranscript(ports: () => ReadonlyMap<number, number>): Transcript {
  const parts = new Map<string, Block[]>();
  let blocks: Block[] = [];
  const add = (kind: Block['kind'], lines: readonly string[]) => {
    const shown = lines.map((line) => withPorts(line, ports()));
    const last = blocks.at(-1);
    if (last?.kind === kind) last.lines.push(...shown);
    else blocks.push({ kind, lines: shown });
  };
  return {
    part(title) {
      blocks = [];
      parts.set(title, blocks);
    },
    remark: (text) => add('remark', [text]),
    command(line, { uid }, { output, milliseconds, status }) {
      const lines = output.trimEnd().split('\n').filter(Boolean);
      const left = lines.length - maxLines;
      const head = maxLines / 2;
      const shown = left > 1 ? [...lines.slice(0, head), `… ${left} more lines`, ...lines.slice(-head)] : lines;
      const end = `[${(milliseconds / 1000).toFixed(1)} s${status === 0 ? '' : `, exit status ${status}`}]`;
      add('commands', [`${uid === 0 ? '#' : '$'} ${line}`, ...shown.map((text) => text.trimEnd()), end]);
    },
    parts: () => new Map([...parts].map(([title, each]) => [title, each.map(formatBlock).join('\n\n')])),
  };
}

function formatBlock({ kind, lines }: Block): string {
  return kind === 'commands' ? ['```console', ...lines, '```'].join('\n') : lines.join('\n');
}

/** A port is a number of its own: no part of a longer one, of a name or of a time. */
function withPorts(line: string, ports: ReadonlyMap<number, number>): string {
  return line.replaceAll(/(?<![\w.-])\d{4,5}(?![\w.-]?\d|\w)/g, (number) =>
    String(ports.get(Number(number)) ?? number),
  );
}

const document = new URL('../../docs/journey.md', import.meta.url);
const introduction = `# The journey of a partner

The transcript of \`npm run journey -- --document yes\`: the binary installs a box on bare Debian systems, without Node.js, npm or PostgreSQL, from a control plane and a gated registry on the same machine. Shoppers buy while the operator works. The run fails if a request fails during an upgrade that keeps the port open, if an order is lost, or if a command ends with another status than shown. Ports are shown as the default ones.

`;

/**
 * Writes docs/journey.md. Parts that were not travelled this time stay.
 * @param titles of all parts, in order
 */
export async function writeTranscript(transcript: Transcript, titles: readonly string[]): Promise<void> {
  const text = await readFile(document, 'utf8').catch(() => '');
  const found = text.split(/^## /m).slice(1);
  const former = found.map(
    (part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()] as const,
  );
  const parts = new Map([...former, ...transcript.parts()]);
  const written = titles.flatMap((title) => (parts.has(title) ? [`## ${title}\n\n${parts.get(title)}\n`] : []));
  await writeFile(document, introduction + written.join('\n'));
}
