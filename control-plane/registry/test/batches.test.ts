// Batches of download reports: what the registry sends, and what it does with each answer.

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { batchSize } from '../batches.ts';
import { startDelivery } from '../delivery.ts';
import { type DownloadReport, openOutbox } from '../outbox.ts';
import {
  type ControlPlaneStub,
  generateKey,
  makeFolder,
  registrySecret,
  startControlPlaneStub,
  waitUntil,
} from '../testing/index.ts';

const key = generateKey();
const reportOf = (at: number): DownloadReport => ({
  customerId: `customer-${at}`,
  tier: 'basic',
  packageName: '@carton/cart',
  version: '1.2.0',
  outcome: 'allowed',
});

/** An outbox with so many reports, begun a minute after each other, and what delivers them. */
async function prepare(t: Test, count: number) {
  const folder = await makeFolder(t);
  const outbox = await openOutbox(folder, () => {});
  const noon = Date.parse('2026-11-20T12:00:00Z');
  const times = Array.from({ length: count }, (_, at) => new Date(noon + at * 60_000));
  for (const [at, time] of times.entries()) {
    const file = `${String(time.getTime() * 1000).padStart(17, '0')}.key-${at}.json`;
    await writeFile(join(folder, 'ready', file), JSON.stringify(reportOf(at)));
  }
  let elapsed = 0;
  return {
    folder,
    outbox,
    times: times.map((time) => time.toISOString()),
    pass: (milliseconds: number) => {
      elapsed += milliseconds;
    },
    files: (state: string) => readdir(join(folder, state)),
    /** Delivers until the test ends, or until it is stopped. */
    deliver(controlPlane: ControlPlaneStub) {
      const delivery = startDelivery({
        outbox,
        controlPlaneUrl: controlPlane.url,
        registrySecret,
        log: () => {},
        elapsed: () => elapsed,
      });
      t.teardown(() => delivery.stop());
      return delivery;
    },
  };
}

t.test('due reports are sent in batches, oldest first, with the time of the download', async (t) => {
  const controlPlane = await startControlPlaneStub(t, [key]);
  const { deliver, files, times } = await prepare(t, batchSize + 3);
  deliver(controlPlane);
  await waitUntil(async () => (await files('ready')).length === 0);
  const { batches, received } = controlPlane.state;
  t.strictSame(batches, [batchSize, 3]);
  t.strictSame(
    received.map(({ downloadedAt }) => downloadedAt),
    times,
  );
  t.strictSame(
    received.map(({ report, headers }) => [report, headers['idempotency-key'], headers.authorization]),
    times.map((_, at) => [reportOf(at), `key-${at}`, `Bearer ${registrySecret}`]),
  );
});

t.test('only the reports that were rejected are moved to dead, whatever else is in their batch', async (t) => {
  const controlPlane = await startControlPlaneStub(t, [key]);
  const { deliver, files, folder } = await prepare(t, 10);
  await writeFile(join(folder, 'ready', '00000000000000000.torn.json'), '{"customerId":"cus');
  controlPlane.state.rejects = ({ customerId }) => ['customer-3', 'customer-7'].includes(customerId);
  deliver(controlPlane);
  await waitUntil(async () => (await files('ready')).length === 0);
  t.equal(controlPlane.state.received.length, 8);
  t.strictSame(
    (await files('dead')).map((file) => file.split('.')[1]),
    ['torn', 'key-3', 'key-7'],
  );
});

t.test('an earlier control plane gets single reports, and is asked for batches again later', async (t) => {
  const controlPlane = await startControlPlaneStub(t, [key]);
  const { deliver, files, outbox, pass } = await prepare(t, 3);
  controlPlane.state.takesBatches = false;
  const delivery = deliver(controlPlane);
  await waitUntil(async () => (await files('ready')).length === 0);
  t.strictSame(
    controlPlane.state.received.map(({ report, headers }) => [report, headers['idempotency-key']]),
    [0, 1, 2].map((at) => [reportOf(at), `key-${at}`]),
  );
  controlPlane.state.takesBatches = true;
  for (const [milliseconds, batches] of [
    [0, 0],
    [10 * 60_000, 1],
  ] as const) {
    pass(milliseconds);
    await outbox.add(reportOf(9));
    delivery.wake();
    await waitUntil(async () => (await files('ready')).length === 0);
    t.equal(controlPlane.state.batches.length, batches);
  }
});

t.test(
  'a batch that is refused as a whole is sent one by one, and only what is at fault is moved to dead',
  async (t) => {
    const controlPlane = await startControlPlaneStub(t, [key]);
    const { deliver, files } = await prepare(t, 3);
    controlPlane.state.reportStatus = 422;
    deliver(controlPlane);
    await waitUntil(async () => (await files('ready')).length === 0);
    t.equal((await files('dead')).length, 3);
  },
);

t.test('without an answer, all reports stay, and are sent again with the same keys', async (t) => {
  const controlPlane = await startControlPlaneStub(t, [key]);
  const { deliver, files } = await prepare(t, 5);
  controlPlane.state.answers = false;
  const delivery = deliver(controlPlane);
  await waitUntil(() => controlPlane.state.received.length === 5);
  await delivery.stop();
  t.equal((await files('ready')).length, 5);
  controlPlane.state.answers = true;
  deliver(controlPlane);
  await waitUntil(async () => (await files('ready')).length === 0);
  t.strictSame(controlPlane.state.batches, [5, 5]);
  t.equal(controlPlane.state.received.length, 5, 'the keys are the same');
  t.strictSame(await files('dead'), []);
});

t.test('a wrong address or secret rejects no report', async (t) => {
  for (const status of [401, 403, 404, 405, 503]) {
    const controlPlane = await startControlPlaneStub(t, [key]);
    const { deliver, files } = await prepare(t, 2);
    controlPlane.state.reportStatus = status;
    const delivery = deliver(controlPlane);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await delivery.stop();
    t.strictSame([(await files('ready')).length, (await files('dead')).length], [2, 0], `${status}`);
  }
});

t.test('a redirect is not followed: the secret of the registry and its reports go nowhere else', async (t) => {
  const elsewhere = await startControlPlaneStub(t, [key]);
  const controlPlane = await startControlPlaneStub(t, [key]);
  controlPlane.state.reportStatus = 307;
  controlPlane.state.reportHeaders = { Location: `${elsewhere.url}/telemetry/downloads/batch` };
  const { deliver, files } = await prepare(t, 2);
  const delivery = deliver(controlPlane);
  await waitUntil(() => controlPlane.state.requests > 0);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await delivery.stop();
  t.equal(elsewhere.state.requests, 0);
  t.equal(controlPlane.state.requests, 1, 'nor is it asked for each report');
  t.strictSame([(await files('ready')).length, (await files('dead')).length], [2, 0]);
});

t.test('a control plane that asks to wait is not asked before', async (t) => {
  const controlPlane = await startControlPlaneStub(t, [key]);
  controlPlane.state.reportStatus = 503;
  controlPlane.state.reportHeaders = { 'Retry-After': '2' };
  const { deliver, files } = await prepare(t, 2);
  deliver(controlPlane);
  await waitUntil(() => controlPlane.state.requests > 0);
  const asked = performance.now();
  controlPlane.state.reportStatus = 202;
  await waitUntil(async () => (await files('ready')).length === 0);
  t.ok(performance.now() - asked >= 1_900, 'the first back-off is one second');
});
