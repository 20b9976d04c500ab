/**
 * `GET /cart` of a cart with 500 lines, twenty promotions on all of them and ten taxes, and of one with 60 lines, in
 * alternating rounds: the time must grow with the lines and not faster. Meanwhile another client reads `GET /products`; the
 * latency that it sees and the size of the cart are printed.
 */
import { callerOf } from '@carton/runtime/testing';
import { type LoadRequest, repeat } from '../tools/load/load.ts';
import { type Measurement, measureAlternately, median, percentile, rounded } from '../tools/load/measurement.ts';
import { type LoadTenant, requireSuccess } from '../tools/load/tenant.ts';
import { openTenant, startBox, withPostgres } from './box.ts';

const rounds = 7;
const readsPerRound = 20;
const [many, few] = [500, 60];
const promotions = 20;
const taxes = 10;

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url }) => {
    const box = await startBox(url);
    try {
      const tenant = await openTenant(box.url, many);
      await prepareStore(box.url, tenant);
      const large = await fillCart(box.url, tenant, many);
      const small = await fillCart(box.url, tenant, few);
      const latencies: number[] = [];
      const measured = await measureAlternately(
        'cart',
        rounds,
        {
          what: `GET /cart, ${many} lines, ${promotions} promotions, ${taxes} taxes: median`,
          unit: 'ms',
          digits: 1,
          measure: () => whileProductsAreRead(box.url, tenant, latencies, () => readCart(large)),
        },
        { what: `the same, ${few} lines`, unit: 'ms', digits: 1, measure: () => readCart(small) },
      );
      const { body } = await readOnce(large);
      console.log(`${Math.round(Buffer.byteLength(body, 'latin1') / 1000)} kB for ${many} lines`);
      console.log(`GET /products of another client meanwhile: p99 ${rounded(percentile(latencies, 99), 1)} ms`);
      return measured;
    } finally {
      box.stop();
    }
  });
}

/** Creates the promotions and the taxes, which are for all lines. */
async function prepareStore(url: string, { staffHeaders }: LoadTenant): Promise<void> {
  const staff = callerOf(url, staffHeaders);
  for (let number = 1; number <= promotions; number++) {
    const discount = { kind: 'percent', percent: 1 };
    await requireSuccess(staff.post('/admin/promotions', { label: `Offer ${number}`, automatic: true, discount }));
  }
  for (let number = 1; number <= taxes; number++) {
    const rate = { country: 'DE', code: `tax-${number}`, name: `Tax ${number}`, rate: number };
    await requireSuccess(staff.post('/admin/tax-rates', rate));
  }
}

/** A shopper's cart with this many lines; returns the request that reads it. */
async function fillCart(url: string, { tenantHeaders, variants }: LoadTenant, lines: number): Promise<LoadRequest> {
  const shopper = callerOf(url, tenantHeaders, true);
  const items = variants.slice(0, lines).map((variantId) => ({ variantId, quantity: 2 }));
  await requireSuccess(shopper.put('/cart/items', { items }));
  const address = { name: 'Ada', line1: '1 Way', city: 'Berlin', country: 'DE' };
  await requireSuccess(shopper.put('/cart/shipping-address', address));
  return { url: `${url}/cart`, headers: shopper.headers };
}

/** The median time of a read, in milliseconds. */
async function readCart(request: LoadRequest): Promise<number> {
  return median(await timesOf(request, readsPerRound));
}

async function timesOf(request: LoadRequest, times: number): Promise<number[]> {
  const milliseconds: number[] = [];
  await repeat({ url: request.url, clients: 1, times }, async (send) => {
    const started = performance.now();
    const { status } = await send(request);
    if (status !== 200) throw new Error(`${request.url}: ${status}`);
    milliseconds.push(performance.now() - started);
  });
  return milliseconds;
}

async function readOnce(request: LoadRequest): Promise<{ body: string }> {
  let body = '';
  await repeat({ url: request.url, clients: 1, times: 1 }, async (send) => {
    body = (await send(request)).body;
  });
  return { body };
}

/** Adds the times of another client's reads, in milliseconds, until the work is done. */
async function whileProductsAreRead<T>(
  url: string,
  { tenantHeaders }: LoadTenant,
  latencies: number[],
  work: () => Promise<T>,
): Promise<T> {
  const request = { url: `${url}/products?limit=12`, headers: tenantHeaders };
  let isDone = false;
  const reader = (async () => {
    while (!isDone) latencies.push(...(await timesOf(request, 5)));
  })();
  try {
    return await work();
  } finally {
    isDone = true;
    await reader;
  }
}
