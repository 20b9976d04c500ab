/**
 * Locks of the control plane: a lock of rows, or of a transaction, lasts until the transaction ends. So what takes one gets
 * a `Knex.Transaction`, and the compiler refuses a call outside of one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSource, type SyntaxNode } from '../../sources/parsed-source.ts';

const unread = new Set(['node_modules', 'test', 'testing', 'migrations']);
/** `selectDue` of the engine returns a statement that locks. */
const lockingCalls = new Set(['forUpdate', 'forNoKeyUpdate', 'forShare', 'forKeyShare', 'selectDue']);
const lockingText = /\bfor (?:no key )?update\b|\bfor (?:key )?share\b|\bpg_(?:try_)?advisory_|\block table\b/i;

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const values = Object.entries(node).flatMap(([name, value]) => (name === 'span' ? [] : value));
  return values.filter((value): value is SyntaxNode => typeof value === 'object' && value !== null);
}

function has(node: SyntaxNode, isSought: (node: SyntaxNode) => boolean): boolean {
  return isSought(node) || childrenOf(node).some((child) => has(child, isSought));
}

/** What a node calls: `object` is absent for a function. */
function callOf({ type, callee }: SyntaxNode): { name: unknown; object?: SyntaxNode } {
  if (type !== 'CallExpression') return { name: undefined };
  const { value, object, property } = callee as SyntaxNode & { object?: SyntaxNode; property?: SyntaxNode };
  return object ? { name: property?.value, object } : { name: value };
}

const isFunction = ({ params }: SyntaxNode) => Array.isArray(params);

const isTransactionType = ({ type, left, right }: SyntaxNode) =>
  type === 'TsQualifiedName' && (left as SyntaxNode).value === 'Knex' && (right as SyntaxNode).value === 'Transaction';

function getsTransaction(node: SyntaxNode): boolean {
  return isFunction(node) && (node.params as SyntaxNode[]).some((parameter) => has(parameter, isTransactionType));
}

/** Whether a node takes a lock. @param constants of the file with statements that lock */
function takesLock(node: SyntaxNode, constants: ReadonlySet<unknown>): boolean {
  const { type, value, quasis } = node;
  if (type === 'StringLiteral') return lockingText.test(value as string);
  if (type === 'TemplateLiteral') return (quasis as { raw: string }[]).some(({ raw }) => lockingText.test(raw));
  if (type === 'Identifier') return constants.has(value);
  return lockingCalls.has(callOf(node).name as string);
}

/** The lines of a source that take a lock and are in no function that gets a transaction. @throws Error if it does not parse */
export async function openLocksOf(code: string): Promise<number[]> {
  const { body, lineAt } = await parseSource(code);
  const constants = new Set<unknown>();
  for (const { type, declarations } of body) {
    if (type !== 'VariableDeclaration') continue;
    for (const { id, init } of declarations as { id: SyntaxNode; init?: SyntaxNode }[])
      if (init && !has(init, isFunction) && has(init, (node) => takesLock(node, constants))) constants.add(id.value);
  }
  const lines = new Set<number>();
  const visit = (node: SyntaxNode): void => {
    const { name, object } = callOf(node);
    if (getsTransaction(node)) return;
    if (takesLock(node, constants)) lines.add(lineAt(node.span.start));
    // The function that is passed to `db.transaction` gets one.
    for (const child of name === 'transaction' && object ? [object] : childrenOf(node)) visit(child);
  };
  const isConstant = ({ id }: SyntaxNode) => constants.has((id as SyntaxNode).value);
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration') continue;
    if (statement.type === 'VariableDeclaration' && (statement.declarations as SyntaxNode[]).some(isConstant)) continue;
    visit(statement);
  }
  return [...lines].sort((one, other) => one - other);
}

/** The places of such locks in a folder and those in it, each as `file:line`. */
export async function openLocksIn(root: string, folder: string): Promise<string[]> {
  const places = readdirSync(join(root, folder), { withFileTypes: true }).map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return unread.has(entry.name) ? [] : openLocksIn(root, path);
    if (!entry.name.endsWith('.ts')) return [];
    return (await openLocksOf(readFileSync(join(root, path), 'utf8'))).map((line) => `${path}:${line}`);
  });
  return (await Promise.all(places)).flat();
}
