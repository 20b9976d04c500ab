/**
 * What a tenant's shoppers wait for `GET /products` while one client of another tenant does its worst, and while nobody
 * does anything else: the 99th percentile. The figure is that of the worst kind (hostile.ts).
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadRequest, repeat } from '../tools/load/load.ts';
import { type Measurement, percentile, rounded } from '../tools/load/measurement.ts';
import { openTenantAt } from '../tools/load/tenant.ts';
import { openTenant, secrets, startBox, startServer, withPostgres } from './box.ts';
import { hostiles } from './hostile.ts';

/** Milliseconds between two requests. */
const pause = 20;
const linesOfCart = 500;

/** @param more one kind alone, and the seconds of each kind */
export function measure([only, length = '60']: readonly string[] = []): Promise<Measurement> {
  const seconds = Number(length);
  const kinds = Object.entries(hostiles).filter(([kind]) => only === undefined || kind === only);
  if (kinds.length === 0 || !(seconds >= 1))
    throw new Error(`kinds: ${Object.keys(hostiles).join(', ')}; seconds from 1`);
  return withPostgres(async ({ url, folder }) => {
    const box = await startBox(url, { dataFolder: join(folder, 'data') });
    try {
      const { tenantHeaders: headers } = await openTenant(box.url, 12);
      const tenant = await openTenantAt(box.url, { secrets, slug: 'hostile', products: linesOfCart, stock: 1_000_000 });
      const products = { url: `${box.url}/products?limit=12`, headers };
      await timesOf(products, 2);
      const quiet = percentile(await timesOf(products, seconds / 2), 99);
      console.log(`nobody else: p99 ${rounded(quiet, 1)} ms`);
      let worst = { p99: 0, what: '' };
      for (const [kind, { what, connections }] of kinds) {
        const { child } = await startServer(
          './hostile-client.ts',
          JSON.stringify({ kind, url: box.url, tenant, seconds }),
        );
        const answered = once(child, 'message');
        child.send('begin');
        const p99 = percentile(await timesOf(products, seconds), 99);
        const [{ statuses }] = await answered;
        console.log(
          `${what}, ${connections} connections: p99 ${rounded(p99, 1)} ms; it got ${JSON.stringify(statuses)}`,
        );
        if (p99 > worst.p99) worst = { p99, what };
      }
      return {
        name: 'neighbours',
        ratio: rounded(worst.p99 / quiet),
        box: {
          what: `GET /products of another tenant, p99, beside ${worst.what}`,
          value: rounded(worst.p99, 1),
          unit: 'ms',
        },
        peer: { what: 'the same, beside nobody', value: rounded(quiet, 1), unit: 'ms' },
      };
    } finally {
      box.stop();
    }
  });
}

/** The times of a client's requests, one after the other, in milliseconds. @throws Error unless each response is 200 */
async function timesOf(request: LoadRequest, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1000;
  await repeat({ url: request.url, clients: 1, times: 1 }, async (send) => {
    while (performance.now() < until) {
      const started = performance.now();
      const { status } = await send(request);
      if (status !== 200) throw new Error(`${request.url}: ${status}`);
      times.push(performance.now() - started);
      await sleep(pause);
    }
  });
  return times;
}
