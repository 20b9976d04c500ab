/**
 * `npm run seed`: fills a store with as many products and orders as a large one has.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '../../runtime/db/embedded.ts';
import { runCommand, UsageError } from '../../tools/command-line.ts';
import { showProgress } from '../../tools/progress.ts';
import { SeedError, seedStore } from '../../tools/seed/index.ts';
import { demoSlug } from '../stack/demo-store/index.ts';

const help = `Usage: npm run seed -- [options]

Fills a store of a box with products, prices, stock, and three years of orders with their payments: enough to see how
it behaves when it is large. It writes to the database directly; the box may be running.

  --products <number>   products to add (100000)
  --orders <number>     orders to add (1000000)
  --members <number>    members, who place seven of ten orders; guests place the others (200000)
  --tenant <slug>       the store (${demoSlug})
  --database <url>      the database, reached as a superuser (that of the box of npm start)
  --add                 adds to a store that has orders
  --help                this text

Exit codes: 0 filled, 1 could not fill it (with a message), 2 wrong usage.`;

const counts = { products: 100_000, orders: 1_000_000, members: 200_000 };
const largest = 100_000_000;

const text = { type: 'string' } as const;
const options = {
  products: text,
  orders: text,
  members: text,
  tenant: { type: 'string', default: demoSlug },
  database: text,
  add: { type: 'boolean', default: false },
} as const;

function numberOf(name: keyof typeof counts, value = String(counts[name])): number {
  if (!/^\d+$/.test(value) || Number(value) > largest)
    throw new UsageError(`--${name} is a whole number up to ${largest}, not ${value}`);
  return Number(value);
}

/** The database of the box of the local stack: the one named by DATABASE_URL, or the embedded one, started if necessary. */
async function openStackDatabase(): Promise<{ url: string; stop(): Promise<void> }> {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, stop: async () => {} };
  const home = resolve(process.env.CARTON_HOME || '.carton');
  const directory = join(home, 'box', 'data', 'postgresql');
  if (!existsSync(directory))
    throw new SeedError(`there is no box in ${home}: run npm start first, or name a --database`);
  return startEmbeddedPostgres({ directory });
}

await runCommand({ name: 'npm run seed', help, options }, async ({ values }) => {
  const { tenant, database: url, add } = values;
  const products = numberOf('products', values.products);
  const orders = numberOf('orders', values.orders);
  const members = numberOf('members', values.members);
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => interrupted.abort(new SeedError('interrupted; what is written remains')));
  }
  const database = url ? { url, stop: async () => {} } : await openStackDatabase();
  const progress = showProgress(process.stdout, 'rows');
  try {
    const started = performance.now();
    const { rows } = await seedStore(database.url, {
      products,
      orders,
      members,
      tenant,
      add,
      signal: interrupted.signal,
      onProgress: ({ rows, ...at }) => progress.update({ ...at, count: rows }),
    });
    progress.stop();
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`added ${products} products and ${orders} orders to the store ${tenant}: ${rows} rows in ${seconds} s`);
    return 0;
  } finally {
    progress.stop();
    await database.stop();
  }
});
