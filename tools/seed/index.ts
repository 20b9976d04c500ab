/**
 * Fills a tenant of a box with products and orders as a store of several years has them, by COPY.
 */
import pg from 'pg';
import { addProduct } from './catalogue.ts';
import { CopyBatch } from './copy.ts';
import { addOrder, addRestocking, type OfferedVariant, type OrderOptions } from './orders.ts';
import { addMember, memberOf } from './people.ts';
import { Random } from './random.ts';

export interface SeedOptions {
  /** Slug of the tenant. */
  tenant: string;
  products: number;
  orders: number;
  /** Number of members among whom most orders are distributed. */
  members: number;
  /** Adds to a store that has orders. */
  add?: boolean;
  /** Receives the progress after each batch. */
  onProgress?(progress: SeedProgress): void;
  signal?: AbortSignal;
}

export interface SeedProgress {
  /** What is being done: `members`, `products`, `orders`, `analyzing`. */
  step: string;
  /** From 0 to 1. */
  done: number;
  /** Rows written so far. */
  rows: number;
}

/** The store cannot be filled as requested; the message says why. */
export class SeedError extends Error {}

/** Products or orders per transaction. */
const batchSize = 2000;
const years = 3;
/** Approximate numbers of rows: their parts of the progress. */
const rowsPer = { member: 1, product: 18, order: 19 };

/** @throws SeedError; errors of the database */
export async function seedStore(databaseUrl: string, options: SeedOptions): Promise<{ rows: number }> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'seed' });
  // Without a listener, a connection that is lost between two queries would end the process. Later queries fail, too, but
  // say less.
  let lost: Error | null = null;
  client.on('error', (error) => {
    lost ??= error;
  });
  await client.connect();
  try {
    return await new Seeding(client, options).run();
  } catch (error) {
    throw lost ?? error;
  } finally {
    await client.end();
  }
}

interface Store {
  id: string;
  currency: string;
  locale: string;
  numberFormat: string;
}

class Seeding {
  readonly #client: pg.Client;
  readonly #options: SeedOptions;
  readonly #to = Date.now();
  readonly #from = this.#to - years * 365 * 86_400_000;
  #tables = new Set<string>();
  #rows = 0;
  #done = 0;

  constructor(client: pg.Client, options: SeedOptions) {
    this.#client = client;
    this.#options = options;
  }

  async run(): Promise<{ rows: number }> {
    const store = await this.#prepare();
    await this.#addMembers(store);
    await this.#addProducts(store);
    await this.#addOrders(store);
    // The box counts again what COPY has added.
    await this.#query('update tenant_quotas set used = null where tenant_id = $1', [store.id]);
    await this.#query('delete from product_stock_refreshes where tenant_id = $1', [store.id]);
    this.#report('analyzing', 0);
    await this.#client.query('analyze');
    return { rows: this.#rows };
  }

  async #query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query(text, values)).rows as Row[];
  }

  async #prepare(): Promise<Store> {
    const { tenant, add, orders, products } = this.#options;
    const tables = await this.#query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
    );
    this.#tables = new Set(tables.map(({ name }) => name));
    if (!this.#tables.has('orders'))
      throw new SeedError('this is not the database of a box: it has no table of orders');
    const [account] = await this.#query<{ super: boolean }>(
      'select rolsuper as super from pg_roles where rolname = current_user',
    );
    if (!account?.super) throw new SeedError('the database must be reached as a superuser, like the embedded one is');
    const [store] = await this.#query<Store>(
      `select tenants.id, stores.default_currency as currency, stores.default_locale as locale,
              stores.order_number_format as "numberFormat"
         from tenants join stores on stores.tenant_id = tenants.id where tenants.slug = $1`,
      [tenant],
    );
    if (!store) throw new SeedError(`there is no tenant with the slug ${tenant}`);
    const [{ exists }] = (await this.#query<{ exists: boolean }>(
      'select exists (select from orders where tenant_id = $1)',
      [store.id],
    )) as [{ exists: boolean }];
    if (exists && !add) throw new SeedError(`the store ${tenant} has orders: --add adds to them`);
    const [{ variants }] = (await this.#query<{ variants: number }>(
      'select count(*)::int as variants from (select from variant_prices where tenant_id = $1 limit 1) priced',
      [store.id],
    )) as [{ variants: number }];
    if (orders > 0 && products === 0 && variants === 0) {
      throw new SeedError(`the store ${tenant} has no products with prices to order: see --products`);
    }
    // Rows are complete and refer to each other, so each needs no check of its own, and a crash means another run.
    await this.#query('set session_replication_role = replica');
    await this.#query('set synchronous_commit = off');
    return store;
  }

  /** Adds the members that do not exist yet. */
  async #addMembers({ id }: Store): Promise<void> {
    if (!this.#tables.has('members')) return;
    const { members: count } = this.#options;
    const existing = await this.#query<{ id: string }>('select id from members where tenant_id = $1', [id]);
    const known = new Set(existing.map((member) => member.id));
    for (let start = 0; start < count; start += batchSize) {
      const batch = new CopyBatch(id);
      const end = Math.min(start + batchSize, count);
      for (let index = start; index < end; index++) {
        const member = memberOf(id, index);
        if (!known.has(String(member.memberId))) addMember(batch, member, this.#from);
      }
      await this.#write(batch);
      this.#report('members', (end - start) * rowsPer.member);
    }
  }

  async #addProducts({ id, currency }: Store): Promise<void> {
    const { products: count } = this.#options;
    const [{ first }] = (await this.#query<{ first: number }>(
      'select count(*)::int as first from products where tenant_id = $1',
      [id],
    )) as [{ first: number }];
    const options = { random: new Random(first), currency, from: this.#from, to: this.#to, first, count };
    for (let start = 0; start < count; start += batchSize) {
      const batch = new CopyBatch(id);
      const end = Math.min(start + batchSize, count);
      for (let index = start; index < end; index++) addProduct(batch, options, index);
      await this.#write(batch);
      this.#report('products', (end - start) * rowsPer.product);
    }
  }

  async #addOrders(store: Store): Promise<void> {
    const { orders: count, members } = this.#options;
    if (count === 0) return;
    const { id, currency, locale, numberFormat } = store;
    const variants = await this.#offeredVariants(store);
    const last = await this.#reserveNumbers(id, count);
    const options: OrderOptions = {
      random: new Random(last),
      tenantId: id,
      currency,
      locale,
      variants,
      members,
      from: this.#from,
      to: this.#to,
      count,
    };
    const sold = new Map<string, number>();
    for (let start = 0; start < count; start += batchSize) {
      const batch = new CopyBatch(id);
      const end = Math.min(start + batchSize, count);
      for (let index = start; index < end; index++) {
        const number = numberFormat.replace('{number}', String(last - count + 1 + index));
        for (const { variant, quantity } of addOrder(batch, options, index, number)) {
          sold.set(variant.id, (sold.get(variant.id) ?? 0) + quantity);
        }
      }
      await this.#write(batch);
      this.#report('orders', (end - start) * rowsPer.order);
    }
    const batch = new CopyBatch(id);
    for (const [variantId, units] of sold) addRestocking(batch, options, variantId, units);
    await this.#write(batch);
  }

  /** Published variants with a price, in a random order: the first ones sell best. */
  #offeredVariants({ id, currency }: Store): Promise<OfferedVariant[]> {
    return this.#query(
      `select variants.id, variants.product_id as "productId", variants.sku, products.title,
              variants.title as "variantTitle", prices.amount::float8 as amount
         from product_variants variants
         join products on products.tenant_id = variants.tenant_id and products.id = variants.product_id
         join variant_prices prices on prices.tenant_id = variants.tenant_id and prices.variant_id = variants.id
        where variants.tenant_id = $1 and variants.deleted_at is null and products.deleted_at is null
          and products.status = 'published' and prices.currency = $2 and prices.region_id is null
        order by md5(variants.id::text)`,
      [id, currency],
    );
  }

  /** Draws order numbers; returns the last one. */
  async #reserveNumbers(tenantId: string, count: number): Promise<number> {
    const [row] = await this.#query<{ last: number }>(
      `insert into number_sequences (tenant_id, name, last_value) values ($1, 'order', 1000 + $2::bigint)
       on conflict (tenant_id, name) do update set last_value = number_sequences.last_value + $2
       returning last_value::float8 as last`,
      [tenantId, count],
    );
    return (row as { last: number }).last;
  }

  async #write(batch: CopyBatch): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await this.#query('begin');
    try {
      await batch.write(this.#client, (table) => this.#tables.has(table));
      await this.#query('commit');
    } catch (error) {
      // On a lost connection it fails as well, with a message that says less.
      await this.#query('rollback').catch(() => {});
      throw error;
    }
    this.#rows += batch.size;
  }

  #report(step: string, done: number): void {
    const { members, products, orders, onProgress } = this.#options;
    this.#done += done;
    const accounts = this.#tables.has('members') ? members * rowsPer.member : 0;
    const total = accounts + products * rowsPer.product + orders * rowsPer.order;
    onProgress?.({ step, done: total === 0 ? 1 : Math.min(this.#done / total, 1), rows: this.#rows });
  }
}
