/**
 * Changing single variables of `box.env`: comments, blank lines and the order of the others stay as they are.
 */
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { Failure } from '../failure.ts';
import { writeAtomically } from './files.ts';
import type { BoxFolder } from './folder.ts';
import { quoteValue } from './settings.ts';

/** New values by name; null removes a variable. */
export type SettingChanges = ReadonlyMap<string, string | null>;

/** Writes the changes, with mode 0600. The caller holds the lock. @throws Failure usage for a value that cannot be quoted */
export async function editSecrets(folder: BoxFolder, changes: SettingChanges): Promise<void> {
  const before = await readFile(folder.secrets, 'utf8');
  await writeAtomically(folder.secrets, editVariables(before, changes), 0o600);
}

/**
 * Returns the text with the changes: a variable is changed where it is first set, its other lines are removed, and a new
 * one is appended.
 * @throws Failure usage for a value that cannot be quoted; unexpected if the result would not be read as intended
 */
export function editVariables(before: string, changes: SettingChanges): string {
  const parts = splitVariables(before);
  const missing = new Map(changes);
  const kept: string[] = [];
  for (const { name, text } of parts) {
    const value = name === undefined ? undefined : changes.get(name);
    if (name === undefined || value === undefined) {
      kept.push(text);
      continue;
    }
    if (missing.delete(name) && value !== null) kept.push(`${name}=${quoteValue(name, value)}`);
  }
  while (kept.at(-1) === '') kept.pop();
  for (const [name, value] of missing) if (value !== null) kept.push(`${name}=${quoteValue(name, value)}`);
  const after = `${kept.join('\n')}\n`;
  checkEdit(before, after, changes);
  return after;
}

/** The lines of a file; those of one variable together, since a value in quotes may have several. */
function splitVariables(text: string): { name?: string; text: string }[] {
  const lines = text.replace(/\n$/, '').split('\n');
  const parts: { name?: string; text: string }[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as string;
    const [, name, quote] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(["'`])?/.exec(line) ?? [];
    if (name === undefined) {
      parts.push({ text: line });
      continue;
    }
    let end = at;
    const isOpen = () =>
      quote !== undefined &&
      lines
        .slice(at, end + 1)
        .join('\n')
        .split(quote).length < 3;
    while (isOpen() && end + 1 < lines.length) end += 1;
    // Without a closing quote the value is the rest of its own line.
    if (isOpen()) end = at;
    parts.push({ name, text: lines.slice(at, end + 1).join('\n') });
    at = end;
  }
  return parts;
}

/** Reads the result back: neither a wrong value nor another variable's may ever be written. */
function checkEdit(before: string, after: string, changes: SettingChanges): void {
  const expected: Record<string, string | undefined> = { ...parseEnv(before) };
  for (const [name, value] of changes) {
    if (value === null) delete expected[name];
    else expected[name] = value;
  }
  const read = parseEnv(after);
  const names = new Set([...Object.keys(expected), ...Object.keys(read)]);
  const wrong = [...names].find((name) => expected[name] !== read[name]);
  if (wrong === undefined) return;
  throw new Failure('unexpected', `${wrong} could not be changed safely`, 'Nothing was written. Edit box.env by hand');
}
