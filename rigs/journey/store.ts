/**
 * The store of a journey: shoppers buy while the operator works on the box, and its books must agree with what they saw.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type LoadTenant, openTenantAt } from '../../tools/load/tenant.ts';
import { failuresOf, newTally, sum } from '../support/client.ts';
import { checkConsistency } from '../support/consistency.ts';
import type { Stage } from '../support/rig.ts';
import { type Purchase, sendShoppers } from '../support/shoppers.ts';
import { stock } from '../support/tenants.ts';

/** What shoppers saw while the operator worked. */
export interface Trade {
  orders: number;
  requests: number;
  /** Failed requests by reason or status. */
  failures: Map<string | number, number>;
  /** Descriptions of responses that are never allowed. */
  broken: string[];
  longestMilliseconds: number;
}

export interface Store {
  /** Lets shoppers buy while the work runs, and for some orders before and after it. */
  sellDuring(work: () => Promise<void>): Promise<Trade>;
  /** Remembers this moment. @returns the function that forgets what was bought since, as a restored database does */
  mark(): () => void;
  /** Compares the database with what shoppers saw; no shopper may be buying. */
  check(databaseUrl: string): Promise<{ broken: string[]; orders: number }>;
}

/** Orders before and after the work. */
const ordersAround = 15;
const progressTimeout = 60_000;

/** Creates a store with products on a box. */
export async function openStore(
  stage: Stage,
  url: string,
  secrets: { operatorSecret: string; hostingSecret: string },
): Promise<Store> {
  const tenant: LoadTenant = await openTenantAt(url, { secrets, slug: 'linen', products: 8, stock });
  const purchases: Purchase[] = [];
  return {
    async sellDuring(work) {
      const tally = newTally();
      const shoppers = sendShoppers({
        urls: [url],
        tenants: [tenant],
        shoppers: stage.number('shoppers'),
        tally,
        thinkTime: 60,
      });
      const orders = () => shoppers.purchases.filter(({ placed }) => placed.length > 0).length;
      const untilMore = async () => {
        const target = orders() + ordersAround;
        for (const until = Date.now() + progressTimeout; orders() < target && Date.now() < until; await sleep(50)) {
          stage.signal.throwIfAborted();
        }
        if (orders() < target) throw new Error('the box places no orders');
      };
      try {
        await untilMore();
        await work();
        await untilMore();
      } finally {
        await shoppers.stop();
        purchases.push(...shoppers.purchases);
      }
      return {
        orders: orders(),
        requests: tally.requests,
        failures: failuresOf(tally),
        broken: [...tally.broken],
        longestMilliseconds: Math.round(tally.longest),
      };
    },
    mark() {
      const count = purchases.length;
      return () => void purchases.splice(count);
    },
    async check(databaseUrl) {
      const { broken, counts } = await checkConsistency(databaseUrl, [tenant], purchases, stock);
      return { broken, orders: counts.orders ?? 0 };
    },
  };
}

/** Describes failed requests; empty if there are none. */
export function describeFailures({ failures }: Trade): string {
  const reasons = [...failures].map(([reason, count]) => `${count} × ${reason}`);
  return sum(failures) === 0 ? '' : `${sum(failures)} requests failed (${reasons.join(', ')})`;
}
