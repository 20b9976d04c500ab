/**
 * The files in changes/: one for each change that people outside notice, written for them. A release makes its section
 * of CHANGELOG.md of them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from './git.ts';

export const changesFolder = 'changes';

/** What a change concerns, with its name in CHANGELOG.md. */
export const concerns = {
  box: 'Box',
  installer: 'Installer',
  'control-plane': 'Control plane',
  registry: 'Registry',
  api: 'API',
} as const;

/** Whom a change is for, with the heading in CHANGELOG.md, in its order. */
export const audiences = {
  partner: 'For partners, who run boxes',
  integrator: 'For integrators, who write clients and storefronts',
  store: 'For stores and their staff',
  maintainer: 'For the vendor and maintainers',
} as const;

export const kinds = {
  security: 'Security',
  added: 'Added',
  changed: 'Changed',
  removed: 'Removed',
  fixed: 'Fixed',
} as const;

/** Longer texts belong in a document; a change names it. */
export const mostCharacters = 400;
export const mostSentences = 3;

export interface Change {
  /** From the root. */
  file: string;
  concerns: keyof typeof concerns;
  for: (keyof typeof audiences)[];
  kind: keyof typeof kinds;
  /** What to do at an upgrade; null if nothing. */
  upgrade: string | null;
  text: string;
}

/** Reads all change files, in the order of their names, with what is wrong with them. */
export function readChanges(root: string): { changes: Change[]; faults: string[] } {
  const folder = join(root, changesFolder);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  // An archive of the sources has no history to compare with.
  const subjects = existsSync(join(root, '.git')) ? git(root, 'log', '--format=%s').split('\n').map(comparable) : [];
  const read = names
    .filter((name) => name !== 'README.md')
    .map((name) => parseChange(`${changesFolder}/${name}`, readFileSync(join(folder, name), 'utf8'), subjects));
  return {
    changes: read.flatMap(({ change }) => change ?? []),
    faults: read.flatMap(({ faults }) => faults),
  };
}

const fields = ['concerns', 'for', 'kind', 'upgrade'] as const;

/**
 * Reads one file: lines `name: value` between two lines `---`, and a paragraph below them.
 *
 * @param subjects those of the commits, as `comparable` makes them
 */
export function parseChange(
  file: string,
  content: string,
  subjects: readonly string[],
): { change?: Change; faults: string[] } {
  const faults: string[] = [];
  const say = (fault: string) => faults.push(`${file}: ${fault}`);
  if (!/^changes\/[a-z0-9]+(?:-[a-z0-9]+)*\.md$/.test(file))
    say('its name is not lower-case words with hyphens and .md, such as refund-in-full.md');
  const [, head, body] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(content) ?? [];
  if (head === undefined || body === undefined) {
    say(`it does not begin with lines for ${fields.join(', ')} between two lines ---`);
    return { faults };
  }
  const values = new Map<string, string>();
  for (const line of head.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+): *(.*?) *$/.exec(line) ?? [];
    if (!fields.some((field) => field === name)) say(`"${line}" is none of the lines ${fields.join(', ')}`);
    else if (values.has(name)) say(`${name} is a duplicate`);
    else values.set(name, value);
  }
  const one = (field: string, allowed: object) => {
    const value = values.get(field) ?? '';
    if (!Object.hasOwn(allowed, value)) say(`${field} is not one of ${Object.keys(allowed).join(', ')}`);
    return value;
  };
  const readers = (values.get('for') ?? '').split(/, */);
  if (readers.some((reader) => !Object.hasOwn(audiences, reader)) || new Set(readers).size < readers.length)
    say(`for is not a list of some of ${Object.keys(audiences).join(', ')}`);
  const upgrade = values.get('upgrade') ?? '';
  if (upgrade !== 'nothing') faults.push(...faultsOfText(`${file}: upgrade`, upgrade, subjects, ' (or nothing)'));
  const text = body.trim();
  faults.push(...faultsOfText(`${file}: the text`, text, subjects));
  const change = {
    file,
    concerns: one('concerns', concerns),
    for: readers,
    kind: one('kind', kinds),
    upgrade: upgrade === 'nothing' ? null : upgrade,
    text,
  } as Change;
  return faults.length > 0 ? { faults } : { change, faults };
}

function faultsOfText(what: string, text: string, subjects: readonly string[], alternative = ''): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/);
  const faults: string[] = [];
  if (!/^[^a-z\s][^\n]*[.!?]$/.test(text)) faults.push(`${what} is not sentences in one line${alternative}`);
  if (sentences.length > mostSentences || text.length > mostCharacters)
    faults.push(`${what} is longer than ${mostSentences} sentences or ${mostCharacters} characters`);
  const repeated = [text, ...sentences].find((part) => part !== '' && subjects.includes(comparable(part)));
  if (repeated !== undefined)
    faults.push(`${what} repeats the subject of a commit, "${repeated}": say what it means for its readers`);
  return faults;
}

/** A text without what does not make it another one. */
export function comparable(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s.!?`]+/g, ' ')
    .trim();
}
