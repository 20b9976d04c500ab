/**
 * Orders per second of guests who send everything from the list of products to reading the order (eight clients), beside
 * a bare Koa and pg server that runs the same statements in as many requests, round trips and transactions, in alternating
 * rounds on the same PostgreSQL with durable writes. Meanwhile the box delivers the events of its own orders.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flowLength, orderAsGuest, prepareFlow } from '../tools/load/flow.ts';
import { repeat } from '../tools/load/load.ts';
import { type Measurement, measureAlternately, rounded } from '../tools/load/measurement.ts';
import type { LoadTenant } from '../tools/load/tenant.ts';
import type { Contest } from './against.ts';
import { type MeasuredBox, openTenant, startBox, startServer, withPostgres } from './box.ts';
import { skipEvents, waitForEvents } from './events.ts';
import { type FlowTemplate, type RecordedFlow, templateOf } from './flow-variables.ts';

const clients = 8;
const rounds = 9;
const ordersPerRound = 300;

/** Records the statements that the box sends for each request of a guest. */
async function recordFlow(box: MeasuredBox, tenant: LoadTenant): Promise<RecordedFlow> {
  const flow: RecordedFlow = [];
  await repeat({ url: box.url, clients: 1, times: 1 }, (send) =>
    orderAsGuest(box.url, tenant, send, async (work) => {
      flow.push(await box.statementsOf(work));
    }),
  );
  return flow;
}

/** Statements that share a round trip are sent in any order, so two recordings may differ in it. */
async function recordTemplate(box: MeasuredBox, tenant: LoadTenant, attempts = 10): Promise<FlowTemplate> {
  try {
    return templateOf(await recordFlow(box, tenant), await recordFlow(box, tenant));
  } catch (error) {
    if (attempts === 1) throw error;
    return recordTemplate(box, tenant, attempts - 1);
  }
}

async function orderRate(box: MeasuredBox, tenant: LoadTenant, orders: number): Promise<number> {
  const seconds = await repeat({ url: box.url, clients, times: orders }, (send) => orderAsGuest(box.url, tenant, send));
  return orders / seconds;
}

async function peerRate(url: string, run: number, orders: number): Promise<number> {
  const seconds = await repeat({ url, clients, times: orders }, async (send, number) => {
    for (let request = 0; request < flowLength; request++) {
      const { status, body } = await send({
        url: `${url}/${request}/${run}/${number}`,
        method: request === 0 ? 'GET' : 'POST',
      });
      if (status !== 200) throw new Error(`the peer returned ${status} for request ${request}: ${body}`);
    }
  });
  return orders / seconds;
}

export const contest: Contest = {
  what: `a guest's ${flowLength} requests, 8 clients`,
  unit: 'orders/s',
  digits: 1,
  products: 12,
  rounds,
  async prepare({ box, tenant, database }) {
    await prepareFlow(box.url, tenant);
    return async () => {
      const rate = await orderRate(box, tenant, ordersPerRound);
      await waitForEvents(database.forTenant(tenant.tenantId));
      return rate;
    };
  },
};

export function measure(): Promise<Measurement> {
  return withPostgres(async ({ url, folder, database }) => {
    const box = await startBox(url);
    try {
      const tenant = await openTenant(box.url, 12);
      await prepareFlow(box.url, tenant);
      await orderRate(box, tenant, 20);
      const template = await recordTemplate(box, tenant);
      const statements = template.requests.flat().length;
      const roundTrips = template.requests.flatMap((request) => [
        ...new Set(request.map(({ roundTrip }) => roundTrip)),
      ]);
      console.log(`${flowLength} requests, ${statements} statements in ${roundTrips.length} round trips`);
      const file = join(folder, 'flow.json');
      await writeFile(file, JSON.stringify(template));
      const db = database.forTenant(tenant.tenantId);
      const peer = await startServer('./flow-peer.ts', JSON.stringify({ url, file }));
      const countOrders = async () => {
        const [row] = await database.box.query<{ count: number }>('select count(*)::int as count from orders');
        return row?.count ?? 0;
      };
      try {
        const measured = await measureAlternately(
          'flow',
          rounds,
          {
            what: `a guest's ${flowLength} requests, 8 clients`,
            unit: 'orders/s',
            digits: 1,
            async measure() {
              const rate = await orderRate(box, tenant, ordersPerRound);
              await waitForEvents(db);
              return rate;
            },
          },
          {
            what: 'bare Koa and pg, the same statements',
            unit: 'orders/s',
            digits: 1,
            measure: (round) =>
              box.whilePaused(async () => {
                const before = await countOrders();
                const rate = await peerRate(peer.url, round + 1, ordersPerRound);
                const placed = (await countOrders()) - before;
                if (placed !== ordersPerRound) throw new Error(`the peer placed ${placed} of ${ordersPerRound} orders`);
                await skipEvents(db);
                return rate;
              }),
          },
        );
        const mebibytes = rounded((await box.peakMemory()) / 2 ** 20, 0);
        console.log(`the box used at most ${mebibytes} MiB of memory`);
        return { ...measured, peakMemory: { what: 'peak resident memory of the box', value: mebibytes, unit: 'MiB' } };
      } finally {
        peer.child.kill();
      }
    } finally {
      box.stop();
    }
  });
}
