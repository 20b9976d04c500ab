/**
 * Rows of several tables of one tenant, written by COPY.
 */
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';

export type Value = string | number | boolean | null | readonly string[] | Readonly<Record<string, unknown>>;

/** Rows to write together, in the order in which their tables were first added: referenced tables first. */
export class CopyBatch {
  readonly #tenantId: string;
  readonly #tables = new Map<string, { columns: string[]; lines: string[] }>();
  /** The number of rows. */
  size = 0;

  constructor(tenantId: string) {
    this.#tenantId = tenantId;
  }

  /** Adds a row; all rows of a table have the same columns. The column tenant_id is added. */
  add(table: string, row: Readonly<Record<string, Value>>): void {
    let rows = this.#tables.get(table);
    if (!rows) {
      rows = { columns: Object.keys(row), lines: [] };
      this.#tables.set(table, rows);
    }
    let line = this.#tenantId;
    for (const column of rows.columns) line += `\t${encode(row[column] as Value)}`;
    rows.lines.push(line);
    this.size++;
  }

  /** Writes the rows, except those of tables that the box does not have. */
  async write(client: Client, isPresent: (table: string) => boolean): Promise<void> {
    for (const [table, { columns, lines }] of this.#tables) {
      if (!isPresent(table)) continue;
      const stream = client.query(from(`copy ${table} (tenant_id, ${columns.join(', ')}) from stdin`));
      await new Promise<void>((resolve, reject) => {
        stream.once('error', reject);
        stream.once('finish', resolve);
        stream.end(`${lines.join('\n')}\n`);
      });
    }
  }
}

/** A value in the text format of COPY. */
function encode(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'string') return escapeText(value);
  if (Array.isArray(value)) return escapeText(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  return escapeText(JSON.stringify(value));
}

const special = /[\\\t\n\r]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escapeText(text: string): string {
  return special.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (character) => escapes[character] as string) : text;
}
