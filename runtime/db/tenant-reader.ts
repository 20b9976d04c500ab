/**
 * How a package reads the rows of one tenant: every statement sent here carries the tenant.
 */
import type { Knex } from 'knex';
import type { Extensions } from '../extension/extension.ts';
import { acquireTenantConnection, builderClient } from './builder-client.ts';
import type { Actor } from './changes.ts';
import type { Connection } from './client.ts';
import { type GoodsRows, KeptGoods } from './goods.ts';
import { type Placement, type Placements, withPlacement } from './placement.ts';
import { besideLanes, type Deadline, withConnection } from './pool.ts';
import { queryPrepared } from './prepared-query.ts';
import { hasWritingVerb, type ReferenceQuery, ReferenceResults } from './reference-data.ts';
import { queryAsTenant } from './row-security.ts';

export type Row = Record<string, unknown>;

export interface TenantDatabaseOptions {
  extensions?: Extensions;
  actor?: Actor | null;
  connection?: Connection | null;
  placement?: Placement | null;
  /** The connection is for pipelined reads: no transaction was begun on it. */
  readsOnly?: boolean;
  deadline?: Deadline;
  unit?: UnitOfWork;
}

/** What a transaction, or pipelined reads, know of reference data and of the goods (goods.ts). */
export interface UnitOfWork {
  /** The tenant's version; null while unknown. */
  referenceVersion: string | null;
  goodsVersion: string | null;
  /** Then it reads its own writes, and no results that others share. */
  writesReferenceData: boolean;
  writesGoods: boolean;
  /** Its commit is sent: nothing that is sent after it would belong to it. */
  isEnding?: boolean;
}

const noUnit: UnitOfWork = {
  referenceVersion: null,
  goodsVersion: null,
  writesReferenceData: false,
  writesGoods: false,
};

interface Kept {
  readonly results: ReferenceResults;
  readonly goods: KeptGoods;
}

/** What each box keeps. */
const kept = new WeakMap<Placements, Kept>();

function keptOf(placements: Placements): Kept {
  let ofBox = kept.get(placements);
  if (!ofBox) {
    ofBox = { results: new ReferenceResults(), goods: new KeptGoods() };
    kept.set(placements, ofBox);
  }
  return ofBox;
}

const statementNames = new Map<string, string>();
/** Statements that are known to name the tenant. */
const checkedStatements = new Set<string>();
/** Statements that are known to write nothing. */
const reads = new Set<string>();

/** The name under which PostgreSQL prepares a statement, once for each connection. */
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = `s${statementNames.size}`;
    statementNames.set(text, name);
  }
  return name;
}

/** One that fails ends those that share its round trip: a write would be undone although its rows were returned. */
const onlyReads = (text: string) => new Error(`a statement that writes cannot be pipelined with reads: ${text}`);

function isRead(text: string): boolean {
  if (reads.has(text)) return true;
  if (hasWritingVerb(text)) return false;
  reads.add(text);
  return true;
}

/**
 * Columns hold times rounded to milliseconds, hence the two milliseconds. `pg_stat_activity` shows a transaction a
 * moment after it began, hence the second.
 */
const committedUntilText = `
  select least(clock_timestamp() - interval '1 second', min(xact_start) - interval '2 milliseconds') as "committedUntil"
    from pg_stat_activity
   where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
     and application_name <> 'pg_dump'`;

const ending = () => new Error('the commit of this transaction is sent: nothing can be added to it');

export class TenantReader {
  readonly tenantId: string;
  readonly extensions: Extensions;
  /** The member of staff, API key or operator who acts; their changes are reported. Null for everyone else. */
  readonly actor: Actor | null;
  protected readonly knex: Knex;
  protected readonly placements: Placements;
  /** The connection of this transaction, or of these pipelined reads, and its placement. */
  protected readonly connection: Connection | null;
  protected readonly placement: Placement | null;
  protected readonly isTransaction: boolean;
  protected readonly deadline: Deadline | undefined;
  protected readonly unit: UnitOfWork;

  constructor(knex: Knex, placements: Placements, tenantId: string, options: TenantDatabaseOptions = {}) {
    this.knex = knex;
    this.placements = placements;
    this.tenantId = tenantId;
    this.extensions = options.extensions ?? new Map();
    this.actor = options.actor ?? null;
    this.connection = options.connection ?? null;
    this.placement = options.placement ?? null;
    this.isTransaction = this.connection !== null && !options.readsOnly;
    this.deadline = options.deadline;
    this.unit = options.unit ?? { ...noUnit };
  }

  /** True inside a transaction. */
  get inTransaction(): boolean {
    return this.isTransaction;
  }

  /** True inside a transaction and among pipelined reads: the work is one, and ends soon. */
  get holdsConnection(): boolean {
    return this.connection !== null;
  }

  /** A query of this tenant's rows in one table. For reading; column names may be camelCase. */
  table<R extends object = Row>(name: string): Knex.QueryBuilder<R, R[]> {
    if (this.unit.isEnding) throw ending();
    const current = this.connection && { connection: this.connection, placement: this.placement as Placement };
    const acquire = () => acquireTenantConnection(this.placements, this.tenantId, this.deadline);
    const client = builderClient(this.knex, current, acquire);
    return client.queryBuilder().from(name).where(`${name}.tenant_id`, this.tenantId) as never;
  }

  /** An expression for a query of `table`. */
  raw(sql: string, values: readonly unknown[] = []): Knex.Raw {
    return this.knex.raw(sql, values as never);
  }

  /**
   * Runs a statement as a prepared statement. `$1` is always the tenant; `values` begin at `$2`.
   * Returns the rows with camelCase column names. @throws Error when the statement does not use `$1`
   */
  query<R = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    if (!checkedStatements.has(text)) {
      if (!/\$1(?!\d)/.test(text)) {
        return Promise.reject(new Error(`a statement leaves out the tenant ($1): ${text}`));
      }
      checkedStatements.add(text);
    }
    return this.#run(text, [this.tenantId, ...values]);
  }

  /**
   * Reads reference data: from memory where `sharesReferenceData`. Such rows are shared, hence frozen.
   * @param values as for `query`
   */
  readReference<R = Row>(query: ReferenceQuery, values: readonly unknown[] = []): Promise<readonly R[]> {
    const read = () => this.query<R>(query.text, values);
    const { referenceVersion: version } = this.unit;
    if (version === null || !this.sharesReferenceData) return read();
    return keptOf(this.placements).results.get(query, values, { tenantId: this.tenantId, version }, read);
  }

  /**
   * Reads rows of the goods by id, in any order: from memory those that are kept, if this unit of work knows the version
   * of the goods and has not changed them. Rows are shared, hence frozen.
   * @param values begin at `$3`
   */
  readGoods<R extends object>(
    rows: GoodsRows<R>,
    ids: readonly string[],
    values: readonly unknown[] = [],
  ): Promise<readonly R[]> {
    const read = (missing: readonly string[]) => this.query<R>(rows.text, [missing, ...values]);
    const { goodsVersion: version, writesGoods } = this.unit;
    if (version === null || writesGoods) return read(ids);
    return keptOf(this.placements).goods.get(rows, { ids, values }, { tenantId: this.tenantId, version }, read);
  }

  /** Whether this unit of work knows the version of the reference data. */
  get knowsReferenceVersion(): boolean {
    return this.unit.referenceVersion !== null;
  }

  /** Whether reference data is read from memory: its version is known, and this transaction has changed none. */
  get sharesReferenceData(): boolean {
    return this.unit.referenceVersion !== null && !this.unit.writesReferenceData;
  }

  /**
   * Tells a transaction, or pipelined reads, the tenant's versions of the reference data and of the goods
   * (`referenceVersion`), which a statement has read before those that follow. Ignored elsewhere, and for null.
   */
  knowReferenceVersion(versions: string | null): void {
    if (!this.holdsConnection || versions === null) return;
    const [reference = null, goods = null] = versions.split(' ');
    this.unit.referenceVersion = reference;
    this.unit.goodsVersion = goods;
  }

  /**
   * Yields the rows of a statement in batches, through a cursor of this transaction; memory is bounded by a batch. One
   * at a time. `$1` is the tenant.
   */
  async *stream<R = Row>(text: string, values: readonly unknown[] = [], batchSize = 500): AsyncGenerator<R> {
    if (!this.isTransaction || !this.connection) throw new Error('rows can be streamed only in a transaction');
    const { connection } = this;
    const rewritten = (this.placement as Placement).rewrite(text);
    const declared = `declare streamed no scroll cursor for ${rewritten}`;
    await connection.query({ text: declared, values: [this.tenantId, ...values] });
    for (;;) {
      const { rows } = await connection.query({ text: `fetch ${batchSize} from streamed` });
      yield* rows as R[];
      if (rows.length < batchSize) break;
    }
    await connection.query({ text: 'close streamed' });
  }

  /** Reads the system catalogue, on Citus that of the coordinator; outside of the transaction. */
  async readCatalogue<R>(text: string): Promise<R[]> {
    const { rows } = await this.knex.raw<{ rows: R[] }>(text);
    return rows;
  }

  /**
   * The time until which all changes are committed: no row will appear later whose `updated_at`, the start of the
   * transaction that wrote it, is at or before it. Call it before reading the changes. It runs on a connection of its
   * own as the login user, who can see the transactions of all sessions; a backup only reads and is ignored.
   */
  committedUntil(): Promise<string> {
    return this.withPlacement(async (_, connection) => {
      const sent = [
        connection.query({ text: 'begin' }),
        connection.query({ text: 'set local role none' }),
        connection.query({ text: committedUntilText }),
        connection.query({ text: 'commit' }),
      ];
      const results = await Promise.allSettled(sent);
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
      const { rows } = (results[2] as PromiseFulfilledResult<{ rows: unknown[] }>).value;
      return (rows as [{ committedUntil: string }])[0].committedUntil;
    });
  }

  /** Runs work on a pooled connection to this tenant's placement. */
  protected withPlacement<T>(work: (placement: Placement, connection: Connection) => Promise<T>): Promise<T> {
    return withPlacement(this.placements, this.tenantId, (placement) =>
      withConnection(placement.knex, (connection) => work(placement, connection), this.deadline),
    );
  }

  #run<R>(text: string, values: unknown[]): Promise<R[]> {
    const send = (placement: Placement, connection: Connection) => {
      const rewritten = placement.rewrite(text);
      const repeats = !this.isTransaction && !placement.shardLock;
      return queryPrepared<R>(connection, { name: statementName(rewritten), text: rewritten, values, repeats });
    };
    if (this.unit.isEnding) return Promise.reject(ending());
    if (this.connection && !this.isTransaction && !isRead(text)) return Promise.reject(onlyReads(text));
    if (this.connection) return send(this.placement as Placement, this.connection);
    return besideLanes(this.knex, () =>
      this.withPlacement((placement, connection) =>
        queryAsTenant(connection, this.tenantId, () => send(placement, connection), placement.shardLock),
      ),
    );
  }
}
