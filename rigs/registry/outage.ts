/**
 * Downloads while the control plane is away, here many pulls of all packages at once: all are served, in bounded memory,
 * and each download is reported once the control plane is back.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rounded } from '../../tools/load/measurement.ts';
import { withReader } from '../support/postgres.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { type Customer, openCustomer, type Registry, type Vendor } from '../support/vendor.ts';
import { closureOf, pull } from './pulls.ts';

/** Bytes above which the memory of a registry is not bounded any more: that of one with little to do is about 150 MiB. */
const mostMemory = 768 * 1024 ** 2;

export interface Outage {
  broken: string[];
  /** Downloads that the registry has served. */
  downloads: number;
  /** How long they took. */
  seconds: number;
  /** The most memory of the registry, in bytes. */
  peak: number;
  /** From the return of the control plane until it has all reports. */
  deliverySeconds: number;
}

/**
 * Stops the control plane, lets customers download, and starts it again: the memory of the registry stays bounded, and
 * each customer's downloads are stored.
 * @param options.download downloads, calls `serve` with how many a customer was served, and returns what was broken
 */
export async function withoutControlPlane(
  stage: Stage,
  vendor: Vendor,
  options: {
    /** Begins the ids of the customers. */
    name: string;
    customers: number;
    download(
      customers: readonly Customer[],
      registry: Registry,
      serve: (customer: Customer, downloads: number) => void,
    ): Promise<string[]>;
  },
): Promise<Outage> {
  const [registry] = vendor.registries;
  const customers = await Promise.all(
    Array.from({ length: options.customers }, (_, at) => openCustomer(vendor, `${options.name}-${at}`)),
  );
  const served = new Map(customers.map(({ customerId }) => [customerId, 0]));
  await vendor.controlPlane.kill();
  const memory = watchMemory(registry);
  const began = performance.now();
  const broken = await options.download(customers, registry, ({ customerId }, downloads) => {
    served.set(customerId, (served.get(customerId) ?? 0) + downloads);
  });
  const seconds = (performance.now() - began) / 1000;
  const peak = await memory.stop();
  if (peak > mostMemory) broken.push(`the registry used ${peak} bytes of memory`);

  stage.say('starting the control plane again');
  await vendor.controlPlane.start();
  const returned = performance.now();
  await untilDelivered(stage, vendor.registries);
  const deliverySeconds = (performance.now() - returned) / 1000;
  const stored = await countAllowed(vendor, `${options.name}-%`);
  for (const [customerId, sent] of served) {
    const kept = stored.get(customerId) ?? 0;
    if (sent !== kept) broken.push(`${customerId} was served ${sent} downloads, and ${kept} are stored`);
  }
  const downloads = [...served.values()].reduce((sum, count) => sum + count, 0);
  if (downloads === 0) broken.push('nothing was downloaded');
  return { broken: [...new Set(broken)], downloads, seconds, peak, deliverySeconds };
}

/** @param options.pulls complete pulls at once, by as many customers as there are tens of them */
export async function pullWithoutControlPlane(
  stage: Stage,
  vendor: Vendor,
  { pulls }: { pulls: number },
): Promise<Findings> {
  let bytes = 0;
  const { broken, downloads, seconds, peak, deliverySeconds } = await withoutControlPlane(stage, vendor, {
    name: 'outage',
    customers: Math.ceil(pulls / 10),
    async download(customers, registry, serve) {
      const broken: string[] = [];
      const paths = await closureOf(registry, customers[0] as Customer);
      stage.say(`${pulls} pulls of ${paths.length} packages at once, without a control plane`);
      const pullAll = async (customer: Customer) => {
        for (const { packument, tarball } of paths) {
          for (const path of [packument, tarball]) {
            const answer = await pull(registry, path, customer.token);
            if (answer.status !== 200 || !answer.isWhole) broken.push(`GET ${path} returned ${answer.status}`);
            else if (path === tarball) serve(customer, 1);
            bytes += answer.bytes;
          }
        }
      };
      const pullers = Array.from({ length: pulls }, (_, at) => customers[at % customers.length] as Customer);
      await Promise.all(pullers.map(pullAll));
      return broken;
    },
  });
  return {
    broken,
    counts: {
      downloads,
      downloadsPerSecond: rounded(downloads / seconds, 0),
      megabytesPerSecond: rounded(bytes / seconds / 1e6, 0),
      registryPeakMiB: rounded(peak / 1024 ** 2, 0),
      secondsToDeliverReports: rounded(deliverySeconds, 1),
    },
  };
}

function watchMemory(registry: Registry) {
  let peak = 0;
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      peak = Math.max(peak, await registry.memory());
      await sleep(50);
    }
  })();
  // The registry has ended if the rig has failed.
  watching.catch(() => {});
  return {
    async stop() {
      isWatching = false;
      await watching;
      return peak;
    },
  };
}

/** Waits until the registries have delivered every report. */
export async function untilDelivered(stage: Stage, registries: readonly Registry[]): Promise<void> {
  const folders = registries.flatMap(({ storage }) =>
    ['begun', 'ready'].map((state) => join(storage, 'reports', state)),
  );
  for (;;) {
    stage.signal.throwIfAborted();
    const files = await Promise.all(folders.map((folder) => readdir(folder)));
    if (files.every(({ length }) => length === 0)) return;
    await sleep(100);
  }
}

/** The stored downloads by customer. @param pattern of customer ids, for `like` */
export async function countAllowed({ databaseUrl }: Vendor, pattern: string): Promise<Map<string, number>> {
  const rows = await withReader(databaseUrl, (read) =>
    read<{ customer: string; count: number }>(
      `select customer_id as customer, count(*)::integer as count from download_reports
        where outcome = 'allowed' and customer_id like $1 group by customer_id`,
      [pattern],
    ),
  );
  return new Map(rows.map(({ customer, count }) => [customer, count]));
}
