/**
 * A control plane that is killed while it receives reports: each report that was answered with 202 is stored once.
 */
import { randomUUID } from 'node:crypto';
import { packageName } from '@carton/runtime/service';
import { callerOf, freePort } from '@carton/runtime/testing';
import t from 'tap';
import { run, settings } from './processes.ts';
import { makeDatabase } from './test-control-plane.ts';

const kills = 2;
const senders = 4;
const batchSize = 50;

t.test('reports that were accepted survive kills under load, and are stored once', async (t) => {
  const { url: databaseUrl, db } = await makeDatabase(t);
  const port = await freePort();
  const start = async () => {
    const started = run(t, { ...settings, DATABASE_URL: databaseUrl, CONTROL_PLANE_PORT: String(port) });
    await started.url;
    return started;
  };
  const registry = callerOf(`http://127.0.0.1:${port}`, { authorization: `Bearer ${settings.REGISTRY_SECRET}` });
  const accepted: string[] = [];
  let lost = 0;
  let isOver = false;
  const report = { customerId: 'crash', tier: 'basic', packageName: packageName('cart'), outcome: 'allowed' };

  /** Sends the same reports, singly or together, until they are accepted. */
  async function deliver(keys: readonly string[]): Promise<void> {
    for (;;) {
      const isSingle = Math.random() < 0.2;
      const sent = isSingle ? keys.slice(0, 1) : keys;
      const answer = await (isSingle
        ? registry.post('/telemetry/download', report, { headers: { 'idempotency-key': keys[0] as string } })
        : registry.post('/telemetry/downloads/batch', {
            reports: sent.map((idempotencyKey) => ({
              idempotencyKey,
              downloadedAt: '2026-11-20T12:00:00.000Z',
              report,
            })),
          })
      ).catch(() => null);
      if (answer?.status === 202) accepted.push(...sent);
      else lost += 1;
      if (answer?.status === 202 && !isSingle) return;
      if (answer === null) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  let running = await start();
  const sending = Promise.all(
    Array.from({ length: senders }, async () => {
      while (!isOver) await deliver(Array.from({ length: batchSize }, () => randomUUID()));
    }),
  );
  for (let kill = 0; kill < kills; kill += 1) {
    const before = accepted.length;
    while (accepted.length < before + 500) await new Promise((resolve) => setTimeout(resolve, 5));
    running.child.kill('SIGKILL');
    await running.ended;
    running = await start();
  }
  isOver = true;
  await sending;
  const rows = await db('download_reports').select('idempotencyKey');
  const stored = rows.map(({ idempotencyKey }) => idempotencyKey);
  t.equal(new Set(stored).size, stored.length, 'none is stored twice');
  t.strictSame(
    [...new Set(accepted)].filter((key) => !stored.includes(key)),
    [],
    'none is lost',
  );
  t.ok(lost > 0, 'requests were cut off');
});
