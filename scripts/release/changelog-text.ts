/**
 * CHANGELOG.md: a section for each release, made of the files in changes/, by audience.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audiences, type Change, concerns, kinds } from './change-files.ts';
import type { NewVersion } from './versions.ts';

export const changelogFile = 'CHANGELOG.md';
const heading = `# Changelog

What each release means for the people who use it. \`npm run release\` writes a section of the files in \`changes/\`.
`;

/** The section of a release, in Markdown. A change is listed for each of its audiences. */
export function sectionOf(title: string, packages: readonly NewVersion[], changes: readonly Change[]): string {
  const blocks = [`## ${title}\n`];
  for (const [audience, name] of entriesOf(audiences)) {
    const theirs = changes.filter((change) => change.for.includes(audience));
    if (theirs.length === 0) continue;
    blocks.push(`### ${name}\n`);
    for (const [kind, word] of entriesOf(kinds)) {
      const lines = entriesOf(concerns).flatMap(([part, label]) =>
        theirs
          .filter((change) => change.kind === kind && change.concerns === part)
          .map(
            ({ text, upgrade }) => `- ${label}: ${text}${upgrade === null ? '' : ` **At the upgrade:** ${upgrade}`}`,
          ),
      );
      if (lines.length > 0) blocks.push(`#### ${word}\n`, `${lines.join('\n')}\n`);
    }
  }
  if (packages.length > 0) {
    const versions = packages.map(({ name, to }) => `${name.split('/')[1]} ${to}`);
    blocks.push('### Versions of packages\n', `${versions.join(', ')}\n`);
  }
  return blocks.join('\n');
}

/** @throws Error if the release has a section already */
export function requireNewSection(root: string, version: string): void {
  const path = join(root, changelogFile);
  if (existsSync(path) && readFileSync(path, 'utf8').includes(`\n## ${version} (`))
    throw new Error(`${changelogFile} has release ${version} already: npm run publish:packages publishes it`);
}

/** Inserts a section before those of earlier releases, and removes the files that it was made of. */
export function writeSection(root: string, section: string, changes: readonly Change[]): string[] {
  const path = join(root, changelogFile);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : heading;
  const first = text.indexOf('\n## ');
  const [above, below] = first < 0 ? [text, ''] : [text.slice(0, first), text.slice(first)];
  writeFileSync(path, `${above}\n${section}${below}`);
  for (const { file } of changes) rmSync(join(root, file));
  return [changelogFile, ...changes.map(({ file }) => file)];
}

function entriesOf<T extends object>(names: T): [keyof T, T[keyof T]][] {
  return Object.entries(names) as [keyof T, T[keyof T]][];
}
