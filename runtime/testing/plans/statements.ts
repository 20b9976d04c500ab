/**
 * Records the statements of a request and measures what PostgreSQL reads for each, with the settings and the row-level
 * security of the box.
 */
import type { Connection } from '../../db/client.ts';
import type { Database } from '../../db/database.ts';
import { withConnection } from '../../db/pool.ts';
import { setTenant } from '../../db/row-security.ts';

export interface SentStatement {
  text: string;
  values: readonly unknown[];
}

/** What PostgreSQL read for a statement. */
export interface Reading {
  text: string;
  /** Rows read by its scans, including those removed by filters. */
  rows: number;
  /** Pages of tables and indexes read, of 8 kB. */
  pages: number;
  /** The scan that read most rows. */
  scan: string;
}

/** Records the statements sent on the connections of a box. */
export class StatementRecorder {
  #sent: SentStatement[] | null = null;
  readonly #known = new WeakSet<object>();

  constructor({ knex }: Database) {
    knex.client.pool.on('acquireSuccess', (_: number, connection: Connection) => this.#observe(connection));
  }

  async record(work: () => Promise<unknown>): Promise<SentStatement[]> {
    const sent: SentStatement[] = [];
    this.#sent = sent;
    try {
      await work();
    } finally {
      this.#sent = null;
    }
    return sent;
  }

  #observe(connection: Connection): void {
    if (this.#known.has(connection)) return;
    this.#known.add(connection);
    const send = connection.query as (...parameters: unknown[]) => unknown;
    connection.query = ((...parameters: unknown[]) => {
      const { text, values = [] } = parameters[0] as Partial<SentStatement>;
      if (text !== undefined) this.#sent?.push({ text, values });
      return send.apply(connection, parameters);
    }) as Connection['query'];
  }
}

interface PlanNode extends Record<string, unknown> {
  'Node Type': string;
  Plans?: PlanNode[];
}

/** Runs the reading statements again with `explain analyze`; others are skipped. */
export function readingsOf(
  { knex }: Database,
  tenantId: string,
  statements: readonly SentStatement[],
): Promise<Reading[]> {
  const reading = statements.filter(
    ({ text }) => /^\s*(select|with)\b/i.test(text) && !/\b(insert into|update|delete from|set_config)\b/i.test(text),
  );
  return withConnection(knex, async (connection) => {
    await setTenant(connection, tenantId);
    const readings: Reading[] = [];
    for (const statement of reading) readings.push(await readingOf(connection, statement));
    return readings;
  });
}

async function readingOf(connection: Connection, { text, values }: SentStatement): Promise<Reading> {
  const parameters = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
  await connection.query({ text: `prepare examined as ${text}` });
  try {
    const { rows } = await connection.query({
      text: `explain (analyze, buffers, timing off, format json) execute examined${parameters}`,
    });
    const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'];
    const scans = scansOf(plan).sort((a, b) => rowsOf(b) - rowsOf(a));
    return {
      text,
      rows: scans.reduce((sum, scan) => sum + rowsOf(scan), 0),
      pages: numberOf(plan, 'Shared Hit Blocks') + numberOf(plan, 'Shared Read Blocks'),
      scan: scans[0] ? describe(scans[0]) : 'none',
    };
  } finally {
    await connection.query({ text: 'deallocate examined' });
  }
}

/** A value as an SQL literal. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return literal(value.toISOString());
  if (Array.isArray(value)) return literal(`{${value.map((each) => JSON.stringify(String(each))).join(',')}}`);
  return `'${String(value).replaceAll("'", "''")}'`;
}

function numberOf(node: PlanNode, name: string): number {
  return Number(node[name] ?? 0);
}

function scansOf(node: PlanNode): PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  return 'Relation Name' in node && node['Node Type'] !== 'ModifyTable' ? [node, ...below] : below;
}

function rowsOf(node: PlanNode): number {
  const each =
    numberOf(node, 'Actual Rows') +
    numberOf(node, 'Rows Removed by Filter') +
    numberOf(node, 'Rows Removed by Index Recheck');
  return Math.round(each * numberOf(node, 'Actual Loops'));
}

function describe(node: PlanNode): string {
  const index = node['Index Name'] ? ` by ${node['Index Name']}` : '';
  const filter = node.Filter ? `, filter ${node.Filter}` : '';
  return `${node['Node Type']} of ${node['Relation Name']}${index}${filter}`;
}
