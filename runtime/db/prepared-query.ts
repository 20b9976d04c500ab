/**
 * Prepared statements with less work for each execution than those of pg, on whose internals this relies: the columns of
 * a result are described once for each connection, rows become objects with camelCase names as they arrive, and the
 * statements of one round trip share a Sync.
 *
 * With a Sync of its own, each statement outside a transaction is a transaction, and each result a message to a waiting
 * process. Statements that share one have the semantics of a transaction: where one fails, PostgreSQL skips those behind it
 * (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). pg expects a ReadyForQuery for
 * each statement, so those that are missing are passed to it.
 */
import pg from 'pg';
import type { WritingConnection } from './batch-writes.ts';
import type { Connection } from './client.ts';
import { isText, toCamelCase, typeParsers } from './connection.ts';
import { inFailedTransaction, isOutdatedStatement, isSkippedStatement } from './errors.ts';

export interface PreparedStatement {
  /** The name under which the connection's server prepares the statement, always the same for a text. */
  name: string;
  text: string;
  values: readonly unknown[];
  /**
   * Outside a transaction: it runs again if a migration of another process has changed the columns of its result, and if
   * it was skipped because a statement in front of it failed.
   */
  repeats?: boolean;
}

type Row = Record<string, unknown>;

interface Result {
  rows: Row[];
  /** What PostgreSQL did. */
  command: string;
}

interface Columns {
  names: string[];
  /** Null for text, which is not parsed. */
  parsers: (((text: string) => unknown) | null)[];
  /** A row with all columns. Its copies have the same hidden class. */
  empty: Row;
}

/** The part of pg's connection that sends and receives messages of the protocol. */
interface Protocol extends Pick<WritingConnection['connection'], 'owesSync'> {
  /** Texts by name, of the statements that are prepared and of those that were sent to be. */
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  /** The columns of statements by name. The server never changes those of a prepared statement. */
  knownColumns?: Map<string, Columns>;
  /** Other names of statements whose columns have changed, by their own name. */
  renamed?: Map<string, string>;
  /** Of one on which descriptions are not requested: the connection itself. */
  readonly original?: Protocol;
  /** The statement whose Sync is owed: it shares that of the statement behind it. */
  last?: PreparedQuery;
  describe(portal: { type: 'P'; name: string }): void;
  execute(portal: { portal: string }): void;
  /** Passes a message on to pg's client, as if the server had sent it. */
  emit(name: 'readyForQuery', message: { status: 'T' | 'E' }): void;
  emit(name: 'errorMessage', error: Error): void;
  once(name: 'readyForQuery', then: () => void): void;
}

interface PgQuery {
  name: string;
  portal: string;
  _canceledDueToError: unknown;
  callback: (error: unknown, result?: Result) => void;
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
  #command = '';
  /** The statement behind it that shares its Sync. */
  #next: PreparedQuery | undefined;
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
    if (protocol.owesSync && protocol.last) protocol.last.#next = this;
    protocol.owesSync = false;
    this.#isSending = true;
    super.prepare(this.#columns ? withoutDescription(protocol) : protocol);
    this.#isSending = false;
  }

  /** The last message that is sent. pg would send the Sync here. */
  _getRows(protocol: Protocol): void {
    protocol.execute({ portal: this.portal });
    const own = original(protocol);
    own.last = this;
    own.owesSync = true;
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
    // PostgreSQL skips those behind it, unless the error ends the connection, and with it them.
    if (this.#next) protocol.once('readyForQuery', () => protocol.emit('errorMessage', new SkippedStatement()));
    if (error instanceof SkippedStatement) protocol.emit('readyForQuery', { status: 'E' });
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

  handleCommandComplete({ text }: { text: string }, protocol: Protocol): void {
    this.#known?.set(this.name, this.#columns ?? noColumns);
    this.#command = text;
    if (this.#next) protocol.emit('readyForQuery', { status: 'T' });
  }

  handleReadyForQuery(protocol: Protocol): void {
    if (this._canceledDueToError) super.handleError(this._canceledDueToError, protocol);
    else this.callback(null, { rows: this.#rows, command: this.#command });
  }
}

/** The error of a statement behind one that failed. It has the SQLSTATE that PostgreSQL gives it in a transaction. */
class SkippedStatement extends Error {
  readonly code = inFailedTransaction;

  constructor() {
    super('the statement was skipped, since one in front of it failed');
  }
}

const silent = new WeakMap<Protocol, Protocol>();

/** The connection itself, of one on which descriptions are not requested. */
const original = (protocol: Protocol) => protocol.original ?? protocol;

/** The same connection, on which descriptions are not requested. */
function withoutDescription(protocol: Protocol): Protocol {
  let same = silent.get(protocol);
  if (same === undefined) {
    same = Object.create(protocol, { describe: { value: () => {} }, original: { value: protocol } }) as Protocol;
    silent.set(protocol, same);
  }
  return same;
}

/** Runs a prepared statement. Returns its rows, with camelCase column names. */
export function queryPrepared<R>(connection: Connection, statement: PreparedStatement): Promise<R[]> {
  if (!statement.repeats) return run(connection, statement, rowsOf<R>);
  return run(connection, statement, rowsOf<R>).catch((error) => {
    if (isOutdatedStatement(error) || isSkippedStatement(error)) return run(connection, statement, rowsOf<R>);
    throw error;
  });
}

/** Runs a command without parameters, such as `begin`. Returns what PostgreSQL did: it may answer `ROLLBACK` to `commit`. */
export function runCommand(connection: Connection, text: string): Promise<string> {
  return run(connection, { name: text, text, values: [] }, ({ command }) => command);
}

const rowsOf = <R>({ rows }: Result) => rows as R[];

function run<T>(connection: Connection, statement: PreparedStatement, of: (result: Result) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (error: unknown, result?: Result) => {
      if (!error) return resolve(of(result as Result));
      // The stack of the error leads to the socket.
      Error.captureStackTrace(error as Error);
      reject(error);
    };
    connection.query(new PreparedQuery(statement), end);
  });
}
