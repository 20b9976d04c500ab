/**
 * Runs the box's statements with pgbench. The script is derived from the statements of two similar requests: the values
 * in which they differ belong to one cart, and become expressions of pgbench's variable.
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { planning } from '@carton/runtime/service';
import { installedPostgres, pathOf } from '@carton/runtime/testing';
import { cartIdPrefix } from '../tools/load/checkouts.ts';
import type { Statement } from './box.ts';

const run = promisify(execFile);

/** Finds pgbench, which Debian installs with each server version. @throws Error that says how to install it */
export function findPgbench(): string {
  const newest = installedPostgres('pgbench').at(-1);
  return newest ? join(newest.programs, 'pgbench') : pathOf('pgbench');
}

/** The id and session hash of a prepared cart, as SQL expressions of pgbench's variable `n`. */
const suffix = "lpad(to_hex(:n::bigint), 12, '0')";

const cartId = `('${cartIdPrefix}' || ${suffix})`;
const sessionHash = "lpad(:n::text, 64, '0')";

interface Cart {
  id: string;
  sessionHash: string;
}

/**
 * Returns the script of a checkout. `one` and `other` are the statements of two requests for similar carts.
 * @throws Error if they differ in more than values
 */
export function pgbenchScript(one: readonly Statement[], other: readonly Statement[], cart: Cart): string {
  if (one.length !== other.length || one.some(({ text }, index) => text !== other[index]?.text)) {
    throw new Error('two similar requests sent different statements');
  }
  const own = new Map([
    [cart.id, cartId],
    [cart.sessionHash, sessionHash],
  ]);
  const lines = one.map(({ text, values }, index) => {
    const filled = text.replaceAll(/\$(\d+)/g, (_, position: string) => {
      const at = Number(position) - 1;
      return expression(literal(values[at]), literal(other[index]?.values[at]), own);
    });
    return `${filled.replaceAll(/\s+/g, ' ').trim()};`;
  });
  return ['\\set i :i + 1', '\\set n :base + :client_id * 100000 + :i', ...lines].join('\n');
}

const token = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{64}|\d+/g;

/** Returns a value as SQL. Parts that differ between the two requests become expressions of `n`, alike in all statements. */
function expression(value: string | null, otherValue: string | null, own: Map<string, string>): string {
  if (value === null) return 'null';
  // pgbench expands a colon before a word as a variable, even in quotes. JSON allows a space between them.
  const quoted = `'${value.replaceAll("'", "''").replaceAll(/":(?=\w)/g, '": ')}'`;
  // A time or random bytes decide nothing here: those of the first request serve all.
  if (value === otherValue || isTime(value) || value.startsWith('\\x')) return quoted;
  const others = otherValue?.match(token) ?? [];
  let sql = quoted;
  for (const [index, part] of (value.match(token) ?? []).entries()) {
    if (part === others[index] && !own.has(part)) continue;
    if (!own.has(part)) own.set(part, part.includes('-') ? idOf(own.size) : `('9' || :n::text)`);
    sql = sql === `'${part}'` ? (own.get(part) as string) : `replace(${sql}, '${part}', ${own.get(part)})`;
  }
  return `(${sql})${castOf(value)}`;
}

function isTime(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

function idOf(number: number): string {
  return `('0198f${number.toString(16).padStart(3, '0')}-0000-7000-8000-' || ${suffix})`;
}

function castOf(value: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return '::uuid';
  if (/^\{("?[0-9a-f]{8}-[0-9a-f-]{27}"?,?)+\}$/.test(value)) return '::uuid[]';
  return /^[[{]/.test(value) ? '::jsonb' : '';
}

/** Returns a value in the text format that pg sends. */
function literal(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value))
    return `{${value.map((item) => (item === null ? 'NULL' : `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`)).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export interface PgbenchRun {
  pgbench: string;
  url: string;
  folder: string;
  script: string;
  clients: number;
  transactions: number;
  /** The first cart of this run. */
  base: number;
}

/** Runs the script; returns transactions per second. @throws Error with pgbench's output if a transaction failed */
export async function runPgbench({
  pgbench,
  url,
  folder,
  script,
  clients,
  transactions,
  base,
}: PgbenchRun): Promise<number> {
  const file = join(folder, 'checkout.sql');
  await writeFile(file, script);
  const parameters = [
    '-n',
    '-M',
    'prepared',
    '-c',
    clients,
    '-j',
    1,
    '-t',
    Math.floor(transactions / clients),
    '-D',
    'i=-1',
    '-D',
    `base=${base}`,
    '-f',
    file,
    url,
  ];
  // With the planner settings of the box.
  const env = { ...process.env, PGOPTIONS: planning };
  const { stdout, stderr } = await run(pgbench, parameters.map(String), { maxBuffer: 2 ** 26, env });
  const failed = /number of failed transactions: (\d+)/.exec(stdout)?.[1];
  const rate = /tps = ([\d.]+)/.exec(stdout)?.[1];
  if (!rate || (failed && failed !== '0') || /aborted/.test(stderr))
    throw new Error(`pgbench failed: ${stderr.trim() || stdout}`);
  return Number(rate);
}
