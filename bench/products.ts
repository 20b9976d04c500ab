/**
 * `GET /products` (twelve products with prices, sixteen clients) and a bare Koa and pg server that runs the same
 * statements on the same PostgreSQL, in alternating rounds.
 */

import { load } from '../tools/load/load.ts';
import { type Measurement, measureAlternately } from '../tools/load/measurement.ts';
import type { Contest } from './against.ts';
import { openTenant, startBox, startServer, withPostgres } from './box.ts';

const clients = 16;
const rounds = 5;
const requestsPerRound = 6000;

/** Requests the list a number of times; returns requests per second. @throws Error unless each response is 200 */
export async function readProducts(url: string, requests = requestsPerRound): Promise<number> {
  const { seconds, statuses } = await load({
    clients: Math.min(clients, requests),
    requests,
    request: () => ({ url: `${url}/products?limit=12` }),
  });
  if (statuses[200] !== requests) throw new Error(`not every response was 200: ${JSON.stringify(statuses)}`);
  return requests / seconds;
}

export const contest: Contest = {
  what: 'GET /products, twelve with prices, 16 clients',
  unit: 'requests/s',
  products: 12,
  rounds,
  prepare:
    async ({ box }) =>
    () =>
      readProducts(box.url),
};

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url }) => {
    const box = await startBox(url);
    try {
      await openTenant(box.url, 12);
      await readProducts(box.url, 100);
      const statements = await box.statementsOf(() => readProducts(box.url, 1));
      console.log(`${statements.length} statements per request`);
      const peer = await startServer('./products-peer.ts', JSON.stringify({ url, statements }));
      try {
        return await measureAlternately(
          'products',
          rounds,
          {
            what: 'GET /products, twelve with prices, 16 clients',
            unit: 'requests/s',
            measure: () => readProducts(box.url),
          },
          {
            what: 'bare Koa and pg, the same statements',
            unit: 'requests/s',
            measure: () => readProducts(peer.url),
          },
        );
      } finally {
        peer.child.kill();
      }
    } finally {
      box.stop();
    }
  });
}
