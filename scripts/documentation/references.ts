/**
 * What documents name must exist: scripts of package.json, benches, rigs, commands of the installer, files, links,
 * messages.
 */
import { dirname, join, matchesGlob, normalize } from 'node:path';

/** What there is to name. */
export interface Project {
  /** Paths of all files, relative to the root. */
  files: readonly string[];
  /** Names of the scripts of the root's package.json. */
  scripts: ReadonlySet<string>;
  /** First words of the installer's commands. */
  commands: ReadonlySet<string>;
  /** The text of a document, to find headings in. */
  read: (file: string) => string;
}

/** The faults of a document's references, a line each. */
export function checkReferences(file: string, project: Project): string[] {
  const text = project.read(file);
  const faults: string[] = [];
  const lineOf = (index: number) => text.slice(0, index).split('\n').length;
  const check = (index: number, exists: boolean, what: string) => {
    if (!exists) faults.push(`${file}:${lineOf(index)}: there is no ${what}`);
  };

  for (const { 1: name = '', index } of text.matchAll(/\bnpm run (?:-\w+ )*([a-z][\w:-]*)/g)) {
    check(index, project.scripts.has(name), `script ${name} in package.json`);
  }
  for (const { 1: script, 2: name, index } of text.matchAll(/\bnpm run (bench|rig) -- (\w+)/g)) {
    check(
      index,
      project.files.includes(script === 'rig' ? `rigs/${name}/rig.ts` : `bench/${name}.ts`),
      `${script} ${name}`,
    );
  }
  for (const { 1: name = '', index } of text.matchAll(/`(?:\.\/)?carton ([a-z][a-z-]*)/g)) {
    check(index, project.commands.has(name), `command carton ${name}`);
  }
  const prose = text.replace(/^```.*?^```/gms, (block) => block.replace(/[^\n]/g, ' '));
  for (const { 1: quoted = '', index } of prose.matchAll(/`([^`\n]+)`/g)) {
    const pattern = quoted.replace(/<[^>]*>/g, '*').replace(/\/$/, '');
    if (isPath(pattern, file, project)) check(index, hasPath(pattern, file, project), `file ${quoted}`);
  }
  for (const { 1: target = '', index } of prose.matchAll(/\]\((?![a-z]+:)([^)\s]*)\)/g)) {
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : normalize(join(dirname(file), path));
    const exists = project.files.includes(linked);
    check(index, exists, `file ${target}`);
    if (exists && anchor !== undefined) check(index, anchorsOf(project.read(linked)).has(anchor), `heading ${target}`);
  }
  return faults;
}

/** Sources are found by the end of their path too: `testing/index.ts`. */
const isSource = /[\w*]\.(?:ts|mjs|cjs|grit)$/;

/** Messages of the program that a document has in “quotation marks”, up to an ellipsis, must be in a source. */
export function checkMessages(file: string, text: string, sources: readonly string[]): string[] {
  const messages = [...text.matchAll(/“([^”…]+)/g)].map(([, message = '']) => message.trim());
  const missing = messages.filter((message) => !sources.some((source) => source.includes(message)));
  return missing.map((message) => `${file}: there is no message “${message}”`);
}

/** Paths from the root, from the document's folder, and names of sources. */
function isPath(pattern: string, file: string, { files }: Project): boolean {
  if (!/^[\w@.*-]+(?:\/[\w@.*-]+)*$/.test(pattern) || /^(@|\.\/)/.test(pattern)) return false;
  if (isSource.test(pattern)) return true;
  const [first, ...rest] = pattern.split('/');
  const places = [`${first}/`, `${join(dirname(file), first as string)}/`];
  return rest.length > 0 && files.some((path) => places.some((place) => path.startsWith(place)));
}

function hasPath(pattern: string, file: string, { files }: Project): boolean {
  const patterns = [pattern, join(dirname(file), pattern)];
  if (isSource.test(pattern)) patterns.push(`**/${pattern}`);
  return files.some((path) => patterns.some((each) => matchesGlob(path, each) || matchesGlob(path, `${each}/**`)));
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
