/**
 * `GET /products` (twelve with prices, sixteen clients) beside a bare Koa and pg server that runs the same statements
 * on the same PostgreSQL and sends their rows as JSON, in turn, several rounds.
 */
import { openShop, startBox, startServer, withPostgres } from './box.ts';
import { load } from './load.ts';
import { type Measurement, median, rounded } from './measurement.ts';

const clients = 16;
const rounds = 5;
const requestsARound = 6000;

/** Reads the list so many times; answers requests a second. @throws Error unless each was answered with 200 */
export async function readProducts(url: string, requests = requestsARound): Promise<number> {
  const { seconds, statuses } = await load({
    clients: Math.min(clients, requests),
    requests,
    request: () => ({ url: `${url}/products?limit=12` }),
  });
  if (statuses[200] !== requests) throw new Error(`not every answer was 200: ${JSON.stringify(statuses)}`);
  return requests / seconds;
}

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url }) => {
    const box = await startBox(url);
    try {
      await openShop(box.url, 12);
      await readProducts(box.url, 100);
      const statements = await box.statementsOf(() => readProducts(box.url, 1));
      console.log(`${statements.length} statements a request`);
      const peer = await startServer('./products-peer.ts', JSON.stringify({ url, statements }));
      try {
        const rates: { box: number[]; peer: number[] } = { box: [], peer: [] };
        for (let round = 0; round <= rounds; round++) {
          const [own, theirs] = [await readProducts(box.url), await readProducts(peer.url)];
          const name = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
          console.log(`${name}: box ${own.toFixed(0)} requests/s, bare Koa and pg ${theirs.toFixed(0)} requests/s`);
          if (round === 0) continue;
          rates.box.push(own);
          rates.peer.push(theirs);
        }
        const [own, theirs] = [median(rates.box), median(rates.peer)];
        return {
          name: 'products',
          ratio: rounded(own / theirs),
          box: { what: 'GET /products, twelve with prices, 16 clients', value: Math.round(own), unit: 'requests/s' },
          peer: { what: 'bare Koa and pg, the same statements', value: Math.round(theirs), unit: 'requests/s' },
        };
      } finally {
        peer.child.kill();
      }
    } finally {
      box.stop();
    }
  });
}
