/**
 * The statements that stores compose of parts, for the statements.sql beside each package.json: a change of what is sent
 * is a difference of that file. They are what the samples of `testing/statements.ts` send.
 */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type SampledStatement, type StatementSamples, statementsOfSamples } from '@carton/runtime/testing';
import { format } from 'sql-formatter';
import type { Contribution } from '../../runtime/extension/extension.ts';
import { isSql, isStore } from '../checks/shape/rules.ts';
import { parseSource, type SyntaxNode } from '../sources/parsed-source.ts';

const samplesFile = 'testing/statements.ts';
export const statementsFile = 'statements.sql';

export interface PackageStatements {
  /** The text of the statements.sql of each package that composes statements, by the path of the file from the root. */
  texts: Map<string, string>;
  /** What no sample sends. */
  faults: string[];
}

/** @param files all sources, from the root */
export async function statementsOfPackages(
  root: string,
  files: readonly string[],
  contributions: readonly Contribution[],
): Promise<PackageStatements> {
  const texts = new Map<string, string>();
  const sent: string[] = [];
  for (const file of files.filter((each) => /^vendor\/[^/]+\/testing\/statements\.ts$/.test(each))) {
    const { statements } = (await import(join(root, file))) as { statements: StatementSamples };
    const found = await statementsOfSamples(statements, contributions);
    const folder = file.slice(0, -samplesFile.length);
    texts.set(join(folder, statementsFile), statementsText(`@carton/${basename(folder)}`, found));
    sent.push(...[...found.values()].flat().map(({ text }) => text));
  }
  const faults: string[] = [];
  const stores = files.filter((file) => /^vendor\//.test(file) && !/\/test(?:ing)?\//.test(file) && isStore(file));
  const composed = (
    await Promise.all(stores.map((file) => composedIn(file, readFileSync(join(root, file), 'utf8'))))
  ).flat();
  for (const { file, line, parts } of composed) {
    if (sent.some((text) => occurIn(text, parts))) continue;
    faults.push(`${file}:${line}: no sample of a ${samplesFile} sends what is composed here`);
  }
  return { texts, faults };
}

/** The text of one file. */
export function statementsText(name: string, found: ReadonlyMap<string, readonly SampledStatement[]>): string {
  const sections = [...found].map(([sample, statements]) => {
    const written = statements.map(({ text, values }) => {
      const types = values.slice(1).map((value, at) => `$${at + 2} ${typeOf(value)}`);
      const parameters = types.length > 0 ? `-- ${types.join(', ')}\n` : '';
      return `${parameters}${format(text, { language: 'postgresql', expressionWidth: 100 })};\n`;
    });
    return `-- ${sample}\n${written.join('\n')}`;
  });
  const title = `-- Statements that ${name} composes of parts, as the samples of testing/statements.ts send them.`;
  return `${title}\n-- Written by \`npm run documentation\`.\n\n${sections.join('\n')}`;
}

/** What a parameter is in JavaScript. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return value.length > 0 ? `${typeOf(value[0])}[]` : 'array';
  return value instanceof Date ? 'Date' : typeof value;
}

interface Composed {
  file: string;
  line: number;
  /** The texts between the expressions. */
  parts: string[];
}

/** The templates of a source that are SQL with expressions. */
export async function composedIn(file: string, code: string): Promise<Composed[]> {
  const { body, lineAt } = await parseSource(code);
  const composed: Composed[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return;
    const node = value as SyntaxNode;
    if (node.type === 'TemplateLiteral') {
      const parts = (node.quasis as { cooked: string }[]).map(({ cooked }) => cooked);
      const expressions = node.expressions as SyntaxNode[] | undefined;
      if (expressions && expressions.length > 0 && isSql(parts.join(' ')))
        composed.push({ file, line: lineAt(node.span.start), parts });
    }
    for (const [property, each] of Object.entries(node)) if (property !== 'span') visit(each);
  };
  visit(body);
  return composed;
}

/** Whether parts occur in a text, in their order. Each `?` of a part is a numbered parameter in what is sent. */
function occurIn(text: string, parts: readonly string[]): boolean {
  let from = 0;
  for (const part of parts.flatMap((each) => each.split('?'))) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
