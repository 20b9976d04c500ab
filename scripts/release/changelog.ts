/**
 * CHANGELOG.md: a section for each release, with the subjects of the commits since the previous one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NewVersion } from './versions.ts';

const file = 'CHANGELOG.md';
const heading = `# Changelog

What each release changed, by package. Written by \`npm run release\`.
`;

/** The title of the block for changes of a file; null for files that are not shipped: tests, documents and tools. */
export function areaOf(path: string): string | null {
  if (/(^|\/)(test|testing|node_modules)\//.test(path) || /\.(md|json)$/.test(path)) return null;
  const [top = '', name = ''] = path.split('/');
  if (top === 'vendor') return name;
  if (top === 'runtime') return 'runtime';
  if (top === 'installer') return 'Installer';
  if (top === 'durable-files') return 'Durable files';
  return top === 'control-plane' ? (name === 'registry' ? 'Registry' : 'Control plane') : null;
}

/** A commit that changes more areas than this is listed once, under `throughout`. */
const maxAreas = 3;
const throughout = 'Throughout';

interface Commit {
  subject: string;
  areas: string[];
}

/** Reads the commits after `since` (or all) that changed shipped files, newest first. */
export function readCommits(root: string, since: string | null): Commit[] {
  const range = since === null ? 'HEAD' : `${since}..HEAD`;
  const log = git(root, 'log', '--no-merges', '--format=%x01%s', '--name-only', range);
  return log
    .split('\u0001')
    .slice(1)
    .map((entry) => {
      const [subject = '', ...paths] = entry.split('\n').filter((line) => line !== '');
      return { subject, areas: [...new Set(paths.map(areaOf).filter((area) => area !== null))] };
    })
    .filter(({ areas }) => areas.length > 0);
}

/** Returns the commit that wrote the last section; null if there is none. */
export function lastRelease(root: string): string | null {
  return git(root, 'log', '-1', '--format=%H', '--', file).trim() || null;
}

/** The section of a release, in Markdown. */
export function sectionOf(version: string, date: string, packages: readonly NewVersion[], commits: readonly Commit[]) {
  const lines = new Map<string, string[]>();
  const add = (area: string, line: string) => lines.set(area, [...(lines.get(area) ?? []), line]);
  for (const { subject, areas } of commits) {
    for (const area of areas.length > maxAreas ? [throughout] : areas) add(area, subject);
  }
  for (const { name, because } of packages) {
    const area = name.split('/')[1] as string;
    if (because.length > 0 && !lines.has(area)) add(area, `Depends on the new ${because.join(', ')}`);
  }
  const versions = new Map(packages.map(({ name, to }) => [name.split('/')[1] as string, to]));
  const isPackage = (area: string) => /^[a-z]/.test(area);
  const areas = [...lines.keys()].sort((a, b) => Number(isPackage(a)) - Number(isPackage(b)) || (a < b ? -1 : 1));
  const blocks = areas.map((area) => {
    const title = [area, versions.get(area)].filter(Boolean).join(' ');
    return `### ${title}\n\n${(lines.get(area) ?? []).map((line) => `- ${line}`).join('\n')}\n`;
  });
  return [`## ${version} (${date})\n`, ...blocks].join('\n');
}

/** Inserts a section before those of earlier releases. */
export function writeSection(root: string, section: string): void {
  const path = join(root, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : heading;
  const first = text.indexOf('\n## ');
  const [above, below] = first < 0 ? [text, ''] : [text.slice(0, first), text.slice(first)];
  writeFileSync(path, `${above}\n${section}${below}`);
}

function git(root: string, ...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}
