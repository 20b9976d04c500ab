/**
 * Many pulls of all packages at once while the control plane is away: all are served, in bounded memory, and each
 * download is reported once the control plane is back.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rounded } from '../../tools/load/measurement.ts';
import { withReader } from '../postgres.ts';
import type { Findings, Stage } from '../rig.ts';
import { closureOf, pull } from './pulls.ts';
import { type Customer, openCustomer, type Registry, type Vendor } from './vendor.ts';

/** Bytes above which the memory of a registry is not bounded any more: that of one with little to do is about 150 MiB. */
const mostMemory = 768 * 1024 ** 2;

/** @param options.pulls complete pulls at once, by as many customers as there are tens of them */
export async function pullWithoutControlPlane(
  stage: Stage,
  vendor: Vendor,
  { pulls }: { pulls: number },
): Promise<Findings> {
  const broken: string[] = [];
  const [registry] = vendor.registries;
  const customers = await Promise.all(
    Array.from({ length: Math.ceil(pulls / 10) }, (_, at) => openCustomer(vendor, `outage-${at}`)),
  );
  const paths = await closureOf(registry, customers[0] as Customer);
  stage.say(`${pulls} pulls of ${paths.length} packages at once, without a control plane`);
  await vendor.controlPlane.kill();
  const memory = watchMemory(registry);
  const began = performance.now();
  const served = new Map<string, number>();
  let bytes = 0;
  const pullAll = async ({ customerId, token }: Customer) => {
    for (const { packument, tarball } of paths) {
      for (const path of [packument, tarball]) {
        const answer = await pull(registry, path, token);
        if (answer.status !== 200 || !answer.isWhole) broken.push(`GET ${path} returned ${answer.status}`);
        else if (path === tarball) served.set(customerId, (served.get(customerId) ?? 0) + 1);
        bytes += answer.bytes;
      }
    }
  };
  await Promise.all(Array.from({ length: pulls }, (_, at) => pullAll(customers[at % customers.length] as Customer)));
  const seconds = (performance.now() - began) / 1000;
  const peak = await memory.stop();
  if (peak > mostMemory) broken.push(`the registry used ${peak} bytes of memory`);

  stage.say('starting the control plane again');
  await vendor.controlPlane.start();
  const returned = performance.now();
  await untilDelivered(stage, vendor.registries);
  const stored = await countAllowed(vendor, 'outage-%');
  for (const { customerId } of customers) {
    const [sent, kept] = [served.get(customerId) ?? 0, stored.get(customerId) ?? 0];
    if (sent !== kept) broken.push(`${customerId} was served ${sent} downloads, and ${kept} are stored`);
  }
  const downloads = [...served.values()].reduce((sum, count) => sum + count, 0);
  return {
    broken: [...new Set(broken)],
    counts: {
      downloads,
      downloadsPerSecond: rounded(downloads / seconds, 0),
      megabytesPerSecond: rounded(bytes / seconds / 1e6, 0),
      registryPeakMiB: rounded(peak / 1024 ** 2, 0),
      secondsToDeliverReports: rounded((performance.now() - returned) / 1000, 1),
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
