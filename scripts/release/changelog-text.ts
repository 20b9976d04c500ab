/**
 * CHANGELOG.md: a section for each release, made of the files in changes/, by audience.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anchorOf, anchorsOf } from '../documentation/references.ts';
import {
  type Action,
  type Audience,
  audiences,
  type Change,
  concerns,
  detailsFile,
  kinds,
  moments,
  namesOf,
} from './change-files.ts';
import type { NewVersion } from './versions.ts';

export const changelogFile = 'CHANGELOG.md';
const heading = `# Changelog

What each release means for the people who use it. \`npm run release\` writes a section of the files in \`changes/\`.
`;

/** What `npm run changelog` calls the release that is not made yet, also in the heading of its part of `detailsFile`. */
const next = 'the next release';

export interface Section {
  title: string;
  /** As `headOf` makes it; none for the first release. */
  head: string | null;
  packages: readonly NewVersion[];
  changes: readonly Change[];
}

/**
 * What everyone reads first, if there is a release to come from.
 * @param to its version; by default it has none yet
 */
export function headOf(root: string, to = next): string | null {
  const from = currentVersion(root);
  if (from === null) return null;
  return [
    `You come from ${from} or an earlier release. [Upgrading](${detailsFile}#${anchorOf(headingOf(from, to))}) has the steps in order, and the details of what is listed here.`,
    'Partners get the new command from the vendor, put it in the place of the old one, and run `carton plan`, which says what the upgrade does and changes nothing, and then `carton upgrade`. `carton version --check` says what is installed, and whether there is a newer release.',
  ].join('\n\n');
}

/** The heading of the details of an upgrade. */
const headingOf = (from: string, to: string) => `From ${from} to ${to}`;

function currentVersion(root: string): string | null {
  const path = join(root, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).version : null;
}

/** What is wrong with the details: without their heading, the head of the section leads nowhere. */
export function faultsOfDetails(root: string, changes: readonly Change[]): string[] {
  const from = currentVersion(root);
  if (from === null || changes.length === 0) return [];
  const path = join(root, detailsFile);
  const heading = headingOf(from, next);
  const anchors = existsSync(path) ? anchorsOf(readFileSync(path, 'utf8')) : new Set<string>();
  return anchors.has(anchorOf(heading)) ? [] : [`${detailsFile} has no heading "${heading}", and there are changes`];
}

/**
 * The section of a release, in Markdown: what to do, in order, then each change once, under a heading that names all who
 * are concerned.
 */
export function sectionOf({ title, head, packages, changes }: Section): string {
  const blocks = [`## ${title}\n`];
  if (head !== null) blocks.push(`${head}\n`);
  if (changes.length > 0) blocks.push(...whatToDo(changes));
  for (const group of groupsOf(changes)) {
    blocks.push(`### ${namesOfReaders(group[0] as Change, 'For ')}\n`);
    for (const [kind, word] of entriesOf(kinds)) {
      const lines = entriesOf(concerns).flatMap(([part]) =>
        group.filter((change) => change.kind === kind && change.concerns === part),
      );
      const sorted = [...lines.filter(({ breaking }) => breaking), ...lines.filter(({ breaking }) => !breaking)];
      if (lines.length > 0) blocks.push(`#### ${word}\n`, `${sorted.map(lineOf).join('\n')}\n`);
    }
  }
  if (packages.length > 0) {
    const versions = packages.map(({ name, to }) => `${name.split('/')[1]} ${to}`);
    blocks.push('### Versions of packages\n', `${versions.join(', ')}\n`);
  }
  return blocks.join('\n');
}

/** The actions that changes ask for, by moment and by who acts: first what all of them do. */
function whatToDo(changes: readonly Change[]): string[] {
  const all = changes.flatMap(({ actions, details }) => actions.map((action) => ({ ...action, details })));
  const parts = entriesOf(moments).flatMap(([moment, title]) => {
    const groups = groupsOf(all.filter(({ when }) => when === moment));
    const lists = groups.map((group) => {
      const steps = [...group.filter(({ condition }) => !condition), ...group.filter(({ condition }) => condition)];
      return `${namesOfReaders(steps[0] as Action)}:\n\n${steps.map(stepOf).join('\n')}\n`;
    });
    return [`#### ${title}\n`, ...(lists.length > 0 ? lists : ['Nothing.\n'])];
  });
  return ['### What to do\n', ...parts];
}

function stepOf({ condition, text, details }: Action & Pick<Change, 'details'>, place: number): string {
  return `${place + 1}. ${condition === null ? '' : `Only ${condition}: `}${text}${linkTo(details)}`;
}

/** Items by who is concerned, in the order of audiences. */
function groupsOf<Item extends { for: readonly Audience[] }>(items: readonly Item[]): Item[][] {
  const order = namesOf(audiences);
  const places = (item: Item) => item.for.map((name) => order.indexOf(name)).join('');
  const groups = Map.groupBy(items, places);
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group);
}

function namesOfReaders({ for: readers }: { for: readonly Audience[] }, before = ''): string {
  const names = new Intl.ListFormat('en-GB').format(readers.map((reader) => audiences[reader]));
  return before === '' ? `${names[0]?.toUpperCase()}${names.slice(1)}` : `${before}${names}`;
}

function lineOf({ concerns: part, breaking, text, details }: Change): string {
  return `- ${breaking ? '**Breaking.** ' : ''}${concerns[part]}: ${text}${linkTo(details)}`;
}

const linkTo = (details: string | null) => (details === null ? '' : ` [Details](${detailsFile}#${details})`);

/** @throws Error if the release has a section already */
export function requireNewSection(root: string, version: string): void {
  const path = join(root, changelogFile);
  if (existsSync(path) && readFileSync(path, 'utf8').includes(`\n## ${version} (`))
    throw new Error(`${changelogFile} has release ${version} already: npm run publish:packages publishes it`);
}

/**
 * Inserts a section before those of earlier releases, gives the details of the upgrade the version, and removes the files
 * that the section was made of.
 */
export function writeSection(root: string, version: string, section: string, changes: readonly Change[]): string[] {
  const path = join(root, changelogFile);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : heading;
  const first = text.indexOf('\n## ');
  const [above, below] = first < 0 ? [text, ''] : [text.slice(0, first), text.slice(first)];
  writeFileSync(path, `${above}\n${section}${below}`);
  for (const { file } of changes) rmSync(join(root, file));
  return [changelogFile, ...nameDetails(root, version), ...changes.map(({ file }) => file)];
}

function nameDetails(root: string, version: string): string[] {
  const path = join(root, detailsFile);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const named = text.replace(new RegExp(`^(## From \\S+ to )${next}$`, 'm'), `$1${version}`);
  if (named === text) return [];
  writeFileSync(path, named);
  return [detailsFile];
}

function entriesOf<T extends object>(names: T): [keyof T, T[keyof T]][] {
  return Object.entries(names) as [keyof T, T[keyof T]][];
}
