/**
 * Prepared statements with less work for each execution than those of pg, on whose internals this relies: the columns of
 * a result are described once for each connection, and rows become objects with camelCase names as they arrive.
 */
import pg from 'pg';
import type { Connection } from './client.ts';
import { isText, toCamelCase, typeParsers } from './connection.ts';
import { isOutdatedStatement } from './errors.ts';

export interface PreparedStatement {
  /** The name under which the connection's server prepares the statement, always the same for a text. */
  name: string;
  text: string;
  values: readonly unknown[];
  /** Outside a transaction: it runs again if a migration of another process has changed the columns of its result. */
  repeats?: boolean;
}

type Row = Record<string, unknown>;

interface Columns {
  names: string[];
  /** Null for text, which is not parsed. */
  parsers: (((text: string) => unknown) | null)[];
  /** A row with all columns. Its copies have the same hidden class. */
  empty: Row;
}

/** The part of pg's connection that sends messages of the protocol. */
interface Protocol {
  /** Texts by name, of the statements that are prepared and of those that were sent to be. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  /** The columns of statements by name. The server never changes those of a prepared statement. */
  knownColumns?: Map<string, Columns>;
  /** Other names of statements whose columns have changed, by their own name. */
  renamed?: Map<string, string>;
  describe(portal: { type: 'P'; name: string }): void;
}

interface PgQuery {
  name: string;
  _canceledDueToError: unknown;
  callback: (error: unknown, rows?: Row[]) => void;
  handleError(error: unknown, protocol: Protocol): void;
  prepare(protocol: Protocol): void;
}

const Query = pg.Query as unknown as new (text: string, values: readonly unknown[]) => PgQuery;

const noColumns: Columns = { names: [], parsers: [], empty: {} };

class PreparedQuery extends Query {
  #rows: Row[] = [];
  #columns: Columns | undefined;
  #known: Map<string, Columns> | undefined;
  #isSending = false;
  readonly #ownName: string;

  constructor({ name, text, values }: PreparedStatement) {
    super(text, values);
    this.name = name;
    this.#ownName = name;
  }

  override prepare(protocol: Protocol): void {
    protocol.knownColumns ??= new Map();
    this.#known = protocol.knownColumns;
    this.name = protocol.renamed?.get(this.#ownName) ?? this.#ownName;
    this.#columns = this.#known.get(this.name);
    this.#isSending = true;
    super.prepare(this.#columns ? withoutDescription(protocol) : protocol);
    this.#isSending = false;
  }

  override handleError(error: unknown, protocol: Protocol): void {
    // pg has closed a statement with a value that cannot be sent, and would never prepare it again.
    if (this.#isSending) {
      delete protocol.parsedStatements[this.name];
      delete protocol.submittedNamedStatements[this.name];
    }
    // The server refuses it for ever: the next execution prepares it under another name.
    if (isOutdatedStatement(error)) {
      protocol.renamed ??= new Map();
      protocol.renamed.set(this.#ownName, `${this.name}_`);
    }
    super.handleError(error, protocol);
  }

  handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }): void {
    const parsers = fields.map(({ dataTypeID }) => (isText(dataTypeID) ? null : typeParsers.getTypeParser(dataTypeID)));
    const empty = Object.fromEntries(fields.map(({ name }) => [toCamelCase(name), null]));
    // The keys of an object are interned strings: V8 finds properties by them without another look-up.
    const interned = new Map(Object.keys(empty).map((name) => [name, name]));
    const names = fields.map(({ name }) => interned.get(toCamelCase(name)) as string);
    this.#columns = { names, parsers, empty };
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this._canceledDueToError) return;
    const { names, parsers, empty } = this.#columns as Columns;
    const row: Row = { ...empty };
    try {
      for (let index = 0; index < names.length; index++) {
        const text = fields[index] as string | null;
        if (text === null) continue;
        const parse = parsers[index] as Columns['parsers'][number];
        row[names[index] as string] = parse === null ? text : parse(text);
      }
    } catch (error) {
      this._canceledDueToError = error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete(): void {
    this.#known?.set(this.name, this.#columns ?? noColumns);
  }

  handleReadyForQuery(protocol: Protocol): void {
    if (this._canceledDueToError) this.handleError(this._canceledDueToError, protocol);
    else this.callback(null, this.#rows);
  }
}

const silent = new WeakMap<Protocol, Protocol>();

/** The same connection, on which descriptions are not requested. */
function withoutDescription(protocol: Protocol): Protocol {
  let same = silent.get(protocol);
  if (same === undefined) {
    same = Object.create(protocol, { describe: { value: () => {} } }) as Protocol;
    silent.set(protocol, same);
  }
  return same;
}

/** Runs a prepared statement. Returns its rows, with camelCase column names. */
export function queryPrepared<R>(connection: Connection, statement: PreparedStatement): Promise<R[]> {
  if (!statement.repeats) return run(connection, statement);
  return run<R>(connection, statement).catch((error) => {
    if (isOutdatedStatement(error)) return run(connection, statement);
    throw error;
  });
}

function run<R>(connection: Connection, statement: PreparedStatement): Promise<R[]> {
  return new Promise((resolve, reject) => {
    const end = (error: unknown, rows?: Row[]) => {
      if (!error) return resolve(rows as R[]);
      // The stack of the error leads to the socket.
      Error.captureStackTrace(error as Error);
      reject(error);
    };
    connection.query(new PreparedQuery(statement), end);
  });
}
