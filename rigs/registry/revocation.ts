/**
 * Licences are revoked while their tokens pull from two registries: how long each token still works, and what happens
 * while the control plane is away.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile, rounded } from '../../tools/load/measurement.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { type Customer, openCustomer, type Registry, type Vendor } from '../support/vendor.ts';
import { closureOf, pull } from './pulls.ts';

/** Seconds within which a withdrawn licence ends at the registries. */
const limit = 60;
/** Milliseconds between two pulls with one token. */
const pause = 200;
/** Milliseconds over which the revocations are spread, so that they fall at any time between two reads of a registry. */
const spread = { full: 20_000, short: 2000 };

export async function revokeUnderLoad(
  stage: Stage,
  vendor: Vendor,
  { licences }: { licences: number },
): Promise<Findings> {
  const { registries, controlPlane } = vendor;
  const customers = await Promise.all(
    Array.from({ length: licences }, (_, at) => openCustomer(vendor, `revoked-${at}`)),
  );
  const [smallest] = (await closureOf(registries[0], customers[0] as Customer)).slice(-1);
  const { tarball } = smallest as { tarball: string };
  const broken: string[] = [];

  stage.say(`revoking ${licences} licences`);
  const times = await Promise.all(
    customers.map(async (customer) => {
      await sleep(Math.random() * spread[stage.short ? 'short' : 'full'], undefined, { signal: stage.signal });
      const watched = registries.map((registry) => untilRefused(stage, registry, tarball, customer));
      for (const { served } of watched) await served;
      const revokedAt = await revoke(vendor, customer);
      return Promise.all(watched.map(async ({ refused }) => (await refused) - revokedAt));
    }),
  );
  // A token that was refused before the answer to the revocation arrived counts as refused at once.
  const seconds = times.flat().map((time) => Math.max(0, time) / 1000);
  const p99 = percentile(seconds, 99);
  if (p99 >= limit) broken.push(`1 of 100 revoked licences was served for ${p99} s or longer`);

  stage.say('revoking a licence, and killing the control plane at once');
  const last = await openCustomer(vendor, 'revoked-last');
  const watched = registries.map((registry) => untilRefused(stage, registry, tarball, last));
  for (const { served } of watched) await served;
  await revoke(vendor, last);
  await controlPlane.kill();
  await sleep(stage.short ? 2000 : 15_000);
  const earlier = customers[0] as Customer;
  await registries[1].kill();
  await registries[1].start();
  const { status } = await pull(registries[1], tarball, earlier.token);
  if (status !== 403)
    broken.push(`a registry started without its control plane returned ${status} to a revoked licence`);
  const returning = performance.now();
  await controlPlane.start();
  const lastRefused = Math.max(...(await Promise.all(watched.map(({ refused }) => refused))));
  const afterReturn = (lastRefused - returning) / 1000;
  if (afterReturn >= limit)
    broken.push(`a licence was served for ${afterReturn} s after the control plane had returned`);
  return {
    broken,
    counts: {
      revocations: seconds.length,
      secondsToLastServedMedian: rounded(percentile(seconds, 50), 1),
      secondsToLastServedP99: rounded(p99, 1),
      secondsAfterControlPlaneReturned: rounded(Math.max(0, afterReturn), 1),
    },
  };
}

/** @returns when the answer arrived */
async function revoke({ admin }: Vendor, { licenceId }: Customer): Promise<number> {
  const { status, body } = await admin.post(`/license/keys/${licenceId}/revoke`);
  if (status !== 200) throw new Error(`a licence was not revoked: ${JSON.stringify(body)}`);
  return performance.now();
}

/** Pulls a tarball until it is refused. `served` resolves after the first one, `refused` with the time of the last. */
function untilRefused(stage: Stage, registry: Registry, tarball: string, { token }: Customer) {
  let isServed = () => {};
  const served = new Promise<void>((resolve) => {
    isServed = resolve;
  });
  const refused = (async () => {
    let last = 0;
    for (;;) {
      stage.signal.throwIfAborted();
      // The registry may be restarting.
      const answer = await pull(registry, tarball, token).catch(() => null);
      if (answer?.status === 403) return last;
      if (answer?.status === 200) {
        last = performance.now();
        isServed();
      }
      await sleep(pause);
    }
  })();
  refused.catch(() => {});
  return { served, refused };
}
