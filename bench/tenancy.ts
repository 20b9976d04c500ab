/**
 * The cost of row-level security for a box with one tenant: `GET /products` and `POST /checkout` with the policies and, on
 * a database with the same content, without them, in alternating rounds. The ratio is the worse of the two.
 */
import type { openDatabase } from '@carton/runtime/service';
import { checkOut, prepareCarts, type TokenOf } from '../tools/load/checkouts.ts';
import { type Measurement, median, rounded } from '../tools/load/measurement.ts';
import { type MeasuredBox, openTenant, startBox, withPostgres } from './box.ts';
import { readProducts } from './products.ts';

const rounds = 5;
const ordersPerRound = 1000;

interface Side {
  box: MeasuredBox;
  tokenOf: TokenOf;
  products: number[];
  orders: number[];
}

async function open(url: string, database: ReturnType<typeof openDatabase>, policies: boolean): Promise<Side> {
  const box = await startBox(url);
  const tenant = await openTenant(box.url, 12);
  const carts = Array.from({ length: ordersPerRound * (rounds + 1) }, (_, index) => index);
  const tokenOf = await prepareCarts(database, { ...tenant, variants: tenant.variants.slice(0, 2) }, carts);
  if (!policies) await dropPolicies(database);
  return { box, tokenOf, products: [], orders: [] };
}

async function dropPolicies({ box }: ReturnType<typeof openDatabase>): Promise<void> {
  const tables = await box.query<{ name: string }>(
    `select format('%I', relname) as name from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace`,
  );
  for (const { name } of tables) await box.query(`alter table ${name} disable row level security`);
  console.log(`${tables.length} tables have no policies now`);
}

export function measure(): Promise<Measurement> {
  return withPostgres((one) =>
    withPostgres(async (other) => {
      const sides: Side[] = [];
      try {
        sides.push(await open(one.url, one.database, true), await open(other.url, other.database, false));
        for (let round = 0; round <= rounds; round++) {
          // Going second may be an advantage, so each side is second equally often.
          for (const { box, tokenOf, products, orders } of round % 2 ? sides : sides.toReversed()) {
            const read = await readProducts(box.url);
            const ordered = await checkOut(box.url, tokenOf, round * ordersPerRound, ordersPerRound);
            if (round === 0) continue;
            products.push(read);
            orders.push(ordered);
          }
          if (round > 0) console.log(`round ${round} of ${rounds}: ${sides.map(show).join('; ')}`);
        }
        const [bound, free] = sides as [Side, Side];
        const reading = medianCost(free.products, bound.products);
        const ordering = medianCost(free.orders, bound.orders);
        console.log(
          `cost of row-level security: GET /products ${rounded(reading)}, POST /checkout ${rounded(ordering)}`,
        );
        const worse = ordering > reading ? 'orders' : 'products';
        const what = worse === 'orders' ? 'POST /checkout' : 'GET /products';
        return {
          name: 'tenancy',
          ratio: rounded(Math.max(reading, ordering)),
          box: { what: `${what} with row-level security`, value: Math.round(median(bound[worse])), unit: 'requests/s' },
          peer: { what: `${what} without it`, value: Math.round(median(free[worse])), unit: 'requests/s' },
        };
      } finally {
        for (const { box } of sides) box.stop();
      }
    }),
  );
}

/** Compares round by round, since the machine and the compiled code differ more between rounds than between sides. */
function medianCost(free: readonly number[], bound: readonly number[]): number {
  return median(free.map((figure, round) => figure / (bound[round] as number)));
}

function show({ products, orders }: Side, index: number): string {
  const name = index === 0 ? 'with' : 'without';
  return `${name} ${products.at(-1)?.toFixed(0)} lists/s, ${orders.at(-1)?.toFixed(0)} orders/s`;
}
