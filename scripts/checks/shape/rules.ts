/**
 * The shape of a package (CONTRIBUTING.md, The shape of a package): what belongs in which file.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { readParts } from './literals.ts';

/** Files of one folder, its tests and migrations aside. */
export const mostFiles = 10;
/** Of one statement, the tenant included. */
export const mostParameters = 12;

export interface Fault {
  rule: 'folder' | 'sql' | 'parameters' | 'table' | 'problem' | 'schema';
  /** The file, or the folder, from the root. */
  place: string;
  /** Of `table`: which one. */
  table?: string;
  line?: number;
  advice: string;
}

/** Tables of each package, and of the engine as `runtime`. */
export type Tables = ReadonlyMap<string, string>;

const unread = new Set(['node_modules', 'dist', 'test', 'testing', 'migrations']);

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return unread.has(entry.name) ? [] : listSources(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

/** The tables that migrations create, each with its package. */
export function readTables(root: string): Tables {
  // The migrator creates its own.
  const tables = new Map([['applied_migrations', 'runtime']]);
  for (const name of readdirSync(join(root, 'vendor'))) {
    const folder = join(root, 'vendor', name, 'migrations');
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder, { withFileTypes: true })) {
      const code = readFileSync(join(folder, file.name), 'utf8');
      // The engine's own migrations are part of core so far.
      const owner = name === 'core' && /_runtime_/.test(file.name) ? 'runtime' : name;
      for (const [, table] of code.matchAll(/create table (?:if not exists )?([a-z_]+)/g))
        tables.set(table as string, owner);
    }
  }
  return tables;
}

export const isStore = (file: string) => /(?:^|-)store\.ts$/.test(basename(file));

const statement =
  /^\s*(?:\(\s*)?(?:select\s|with\s+(?:recursive\s+)?[a-z_]+\s+as\s+(?:(?:not\s+)?materialized\s*)?\(|insert into\s|update\s+[a-z_]+\s+(?:[a-z_]+\s+)?set\s|delete from\s|merge into\s|truncate\s)/;
const fragment =
  /\btenant_id\b|(?:[=(<>,]|\bin|\blimit|\bany)\s*\$\d|\$\d::|\b(?:from|into)\s+[a-z_]+\s[\s\S]*\bwhere\b|\bjoin\s+[a-z_]+\s[\s\S]*\bon\b|(?<![.\w])[a-z_]+\.[a-z_]+\s(?:=|<|>|<=|>=|<>|is|in|between|like)\s|\border by\s+[a-z_.]+(?:\s*[,()]|\s+(?:asc|desc|nulls|limit|offset|for)\b|\s*$)|\bcase when\b|\bcoalesce\(/;

/** Whether a text is SQL, or a part of it. */
export function isSql(text: string): boolean {
  return statement.test(text) || fragment.test(text);
}

/** The tables that a statement names; texts in quotes aside. */
export function tablesIn(text: string, tables: Tables): string[] {
  const unquoted = text.replaceAll(/'[^']*'/g, ' ');
  // A name before a parenthesis is that of a function, but after these words.
  const written = unquoted.matchAll(/\b(?:from|join|into|only|update|using)\s+"?([a-z_]+)/g);
  const named = unquoted.match(/(?<![.\w])[a-z_]+\b(?!\.|\s*\()/g) ?? [];
  return [...new Set([...named, ...[...written].map(([, name]) => name as string)])].filter((word) => tables.has(word));
}

/** The highest number of a parameter, 0 without any. */
const parametersOf = (text: string) =>
  Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));

/** The faults of one package. */
export async function faultsOf(root: string, name: string, tables: Tables): Promise<Fault[]> {
  const folder = join(root, 'vendor', name);
  const sources = listSources(folder);
  const faults: Fault[] = [];
  const folders = Map.groupBy(sources, dirname);
  for (const [place, files] of folders) {
    if (files.length <= mostFiles) continue;
    faults.push({
      rule: 'folder',
      place: relative(root, place),
      advice: `${files.length} files: divide it by subject, at most ${mostFiles}`,
    });
  }
  for (const file of sources) faults.push(...(await faultsOfFile(root, file, name, tables)));
  return faults;
}

/** Methods that take SQL, and functions that make a query. */
const queries = new Set(['query', 'stream', 'eachRow', 'readReference', 'referenceQuery', 'rows', 'replaceRows']);
/** Those that take the name of a table. */
const writes = new Set(['insert', 'insertMany', 'update', 'remove', 'table', 'recordDeletions']);

async function faultsOfFile(root: string, file: string, name: string, tables: Tables): Promise<Fault[]> {
  const { literals, calls, properties } = await readParts(readFileSync(file, 'utf8'));
  const place = relative(root, file);
  const faults: Fault[] = [];
  const statements = literals.filter(({ text }) => isSql(text));
  const query = calls.find(
    ({ name, argument }) => queries.has(name) || (writes.has(name) && tables.has(argument ?? '')),
  );
  const line = statements[0]?.line ?? query?.line;
  if (line !== undefined && !isStore(file))
    faults.push({ rule: 'sql', place, line, advice: 'SQL belongs in store.ts, or another file …-store.ts' });
  const long = literals.filter(({ text }) => parametersOf(text) > mostParameters && isSql(text));
  for (const { text, line: at } of long) {
    const advice = `${parametersOf(text)} parameters: pass rows as JSON (jsonb_to_record), at most ${mostParameters}`;
    faults.push({ rule: 'parameters', place, line: at, advice });
  }
  const names = [
    ...statements.flatMap(({ text, line: at }) => tablesIn(text, tables).map((table) => ({ table, at }))),
    ...calls.flatMap(({ name: called, argument, line: at }) =>
      writes.has(called) && argument !== undefined && tables.has(argument) ? { table: argument, at } : [],
    ),
  ];
  for (const { table, at } of names) {
    if (tables.get(table) === name || faults.some((fault) => fault.table === table)) continue;
    const advice = `${table} is a table of ${tables.get(table)}: take what its index.ts exports`;
    faults.push({ rule: 'table', place, table, line: at, advice });
  }
  const problem = calls.find(({ name: called }) => called === 'defineProblem')?.line;
  if (problem !== undefined && basename(file) !== 'problems.ts')
    faults.push({ rule: 'problem', place, line: problem, advice: 'problems are defined in problems.ts' });
  const schema = properties.get('$id');
  if (schema !== undefined && basename(file) !== 'schemas.ts')
    faults.push({ rule: 'schema', place, line: schema, advice: 'schemas with an $id are declared in schemas.ts' });
  return faults;
}
