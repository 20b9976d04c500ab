/**
 * The files in changes/: one for each change that people outside notice, written for them. A release makes its section
 * of CHANGELOG.md of them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorsOf } from '../documentation/references.ts';
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

/** Whom a change is for, as headings of CHANGELOG.md name them, in their order. */
export const audiences = {
  partner: 'partners',
  store: 'stores',
  integrator: 'integrators',
  vendor: 'the vendor',
  contributor: 'contributors',
} as const;
export type Audience = keyof typeof audiences;

/** When an upgrade asks for an action. */
export const moments = { before: 'Before the upgrade', at: 'At the upgrade', after: 'After the upgrade' } as const;
export type Moment = keyof typeof moments;

export const kinds = {
  security: 'Security',
  changed: 'Changed',
  removed: 'Removed',
  fixed: 'Fixed',
  added: 'Added',
} as const;

/** Longer texts belong in `detailsFile`; a change names their heading. */
export const mostCharacters = 400;
export const mostSentences = 3;
export const detailsFile = 'docs/upgrading.md';

export interface Action {
  when: Moment;
  for: Audience[];
  /** Whom of them it concerns, as the rest of a sentence that begins with “if”; null for all. */
  condition: string | null;
  text: string;
}

export interface Change {
  /** From the root. */
  file: string;
  concerns: keyof typeof concerns;
  for: Audience[];
  kind: keyof typeof kinds;
  /** Whether what worked with the release before fails or does something else, unless its user acts. */
  breaking: boolean;
  /** What an upgrade asks for. */
  actions: Action[];
  /** The anchor of a heading in `detailsFile`, if there is more to say. */
  details: string | null;
  text: string;
}

/** What the parser compares a file with: subjects of commits, as `comparable` makes them, and anchors of headings. */
export interface Known {
  subjects: readonly string[];
  anchors: ReadonlySet<string>;
}

/** Reads all change files, in the order of their names, with what is wrong with them. */
export function readChanges(root: string): { changes: Change[]; faults: string[] } {
  const folder = join(root, changesFolder);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  // An archive of the sources has no history to compare with.
  const subjects = existsSync(join(root, '.git')) ? git(root, 'log', '--format=%s').split('\n').map(comparable) : [];
  const details = join(root, detailsFile);
  const anchors = existsSync(details) ? anchorsOf(readFileSync(details, 'utf8')) : new Set<string>();
  const read = names
    .filter((name) => name !== 'README.md')
    .map((name) =>
      parseChange(`${changesFolder}/${name}`, readFileSync(join(folder, name), 'utf8'), { subjects, anchors }),
    );
  return {
    changes: read.flatMap(({ change }) => change ?? []),
    faults: read.flatMap(({ faults }) => faults),
  };
}

const fields = ['concerns', 'for', 'kind', 'breaking', 'upgrade', ...namesOf(moments), 'details'] as const;

/** Reads one file: lines `name: value` between two lines `---`, and a paragraph below them. */
export function parseChange(
  file: string,
  content: string,
  { subjects, anchors }: Known,
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
  const actions: Action[] = [];
  for (const line of head.split('\n')) {
    const [, name = '', value = ''] = /^([a-z]+): *(.*?) *$/.exec(line) ?? [];
    if (!fields.some((field) => field === name)) say(`"${line}" is none of the lines ${fields.join(', ')}`);
    else if (Object.hasOwn(moments, name)) actions.push(readAction(name as Moment, value));
    else if (values.has(name)) say(`${name} is a duplicate`);
    else values.set(name, value);
  }
  const one = (field: string, allowed: object) => {
    const value = values.get(field) ?? '';
    if (!Object.hasOwn(allowed, value)) say(`${field} is not one of ${Object.keys(allowed).join(', ')}`);
    return value;
  };
  const readers = listOf(values.get('for') ?? '');
  if (!areAudiences(readers)) say(`for is not a list of some of ${Object.keys(audiences).join(', ')}`);
  if (!['yes', undefined].includes(values.get('breaking'))) say('breaking is yes, or the line is left out');
  const upgrade = values.get('upgrade');
  if (![undefined, 'nothing'].includes(upgrade) || (upgrade === undefined) === (actions.length === 0))
    say(`it has neither "upgrade: nothing" nor a line for ${namesOf(moments).join(', ')}, or both`);
  for (const action of actions) faults.push(...faultsOfAction(`${file}: ${action.when}`, action, subjects));
  const details = values.get('details') ?? null;
  if (details !== null && !anchors.has(details)) say(`details: ${detailsFile} has no heading #${details}`);
  const text = body.trim();
  faults.push(...faultsOfText(`${file}: the text`, text, subjects));
  const change = {
    file,
    concerns: one('concerns', concerns),
    for: inOrder(readers as Audience[]),
    kind: one('kind', kinds),
    breaking: values.has('breaking'),
    actions,
    details,
    text,
  } as Change;
  return faults.length > 0 ? { faults } : { change, faults };
}

/** Reads `<audiences>; <condition>; <what to do>`, where the condition is `always` or begins with `if`. */
function readAction(when: Moment, value: string): Action {
  const [readers = '', condition = '', ...text] = value.split(/; */);
  const audiencesOf = inOrder(listOf(readers) as Audience[]);
  return { when, for: audiencesOf, condition: condition === 'always' ? null : condition, text: text.join('; ') };
}

function faultsOfAction(what: string, action: Action, subjects: readonly string[]): string[] {
  const { condition, text } = action;
  const isForm = areAudiences(action.for) && (condition === null || /^if (?:[^.!?]|[.!?](?=\S))+$/.test(condition));
  if (!isForm) return [`${what} is not <audiences>; always, or if and a condition; <what to do>`];
  return faultsOfText(what, text, subjects);
}

const listOf = (value: string) => value.split(/, */);

function areAudiences(names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(audiences, name)) && new Set(names).size === names.length;
}

/** In the order of headings. */
function inOrder(names: readonly Audience[]): Audience[] {
  const order = namesOf(audiences);
  return names.toSorted((one, other) => order.indexOf(one) - order.indexOf(other));
}

export function namesOf<T extends object>(names: T): (keyof T)[] {
  return Object.keys(names) as (keyof T)[];
}

function faultsOfText(what: string, text: string, subjects: readonly string[]): string[] {
  const sentences = text.split(/(?<=[.!?])\s+/);
  const faults: string[] = [];
  if (!/^[^a-z\s][^\n]*[.!?]$/.test(text)) faults.push(`${what} is not sentences in one line`);
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
