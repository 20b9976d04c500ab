/**
 * Erasure of a customer at the same time as everything that stores something of one: nothing remains that came before,
 * and nothing is lost that came after.
 */
import { randomUUID } from 'node:crypto';
import { packageName } from '@carton/runtime/service';
import { raceRounds } from '@carton/runtime/testing';
import t from 'tap';
import { lockErasures, markErased } from '../erasures.ts';
import { rollUpReports } from '../telemetry/roll-up.ts';
import { startTestControlPlane } from './test-control-plane.ts';

const controlPlane = await startTestControlPlane(t);
const { db, admin, registry, visitor } = controlPlane;

const tables = [
  'license_keys',
  'boxes',
  'box_domains',
  'download_reports',
  'download_rollups',
  'download_totals',
  'events',
];
const countsOf = async (customerId: string) => {
  const counts = await Promise.all(
    tables.map(async (table) => [table, (await db(table).where({ customerId })).length]),
  );
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
};

const erase = (customerId: string) => admin.post('/customers/erase', { customerId, revoke: true });
const report = (customerId: string) =>
  registry.post('/telemetry/downloads/batch', {
    reports: Array.from({ length: 20 }, () => ({
      idempotencyKey: randomUUID(),
      downloadedAt: new Date().toISOString(),
      report: { customerId, tier: 'basic', packageName: packageName('cart'), version: '1.0.0', outcome: 'allowed' },
    })),
  });

/** Starts each at a random moment. */
const scatter = <Result>(work: readonly (() => Promise<Result>)[]) =>
  Promise.all(
    work.map(async (start) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
      return start();
    }),
  );

t.test('activations, deployments, replacements and reports during an erasure leave nothing', async (t) => {
  for (let round = 0; round < raceRounds; round += 1) {
    const { customerId, key, id } = await controlPlane.mint();
    await report(customerId);
    const activate = () =>
      visitor().post('/license/activate', { key }, { headers: { 'installation-id': randomUUID() } });
    const deploy = (name: string) => () =>
      visitor().post('/boxes/deploy', {
        key,
        name,
        backendUrl: 'https://box.example.com',
        domains: [`${randomUUID()}.example`],
      });
    const count = async () => {
      await rollUpReports(db, 7);
      return { status: 200 };
    };
    const answers = await scatter<{ status: number }>([
      activate,
      activate,
      deploy('a'),
      deploy('b'),
      () => admin.post(`/license/keys/${id}/replace`, { overlapHours: 5 }),
      () => admin.patch(`/license/keys/${id}`, { label: customerId }),
      () => report(customerId),
      () => report(customerId),
      count,
      count,
      () => erase(customerId),
    ]);
    t.strictSame(
      answers.map(({ status }) => status).filter((status) => status >= 500),
      [],
    );
    t.equal(answers.at(-1)?.status, 200);
    await rollUpReports(db);
    t.strictSame(await countsOf(customerId), {});
    const left = await db('license_installations').whereIn(
      'licenseId',
      db('license_keys').whereNotNull('erasedAt').select('id'),
    );
    t.strictSame(left, []);
    t.equal((await visitor().post('/license/activate', { key })).status, 403);
  }
});

t.test('a licence that is minted during an erasure is erased, or is that of a customer who returned', async (t) => {
  const outcomes = new Set<string>();
  for (let round = 0; round < raceRounds * 3; round += 1) {
    const { customerId } = await controlPlane.mint();
    const [minted, erased] = await scatter<{ status: number; body: { key?: string } }>([
      () => admin.post('/license/keys', { customerId, tier: 'basic' }),
      () => erase(customerId),
    ]);
    t.strictSame([minted?.status, erased?.status], [201, 200]);
    const { status } = await visitor().post('/license/activate', { key: minted?.body.key });
    const { body } = await report(customerId);
    const [{ outcome }] = body.outcomes;
    outcomes.add(`${status} ${outcome}`);
    const licences = (await countsOf(customerId)).license_keys ?? 0;
    t.strictSame([status, outcome, licences], licences === 0 ? [403, 'discarded', 0] : [200, 'stored', 1]);
  }
  t.comment([...outcomes].join(', '));
});

t.test('what comes during an erasure waits for its end, and then finds the mark', async (t) => {
  for (const [isMinted, expected] of [
    [false, 'discarded'],
    [true, 'stored'],
  ] as const) {
    const customerId = `waits ${isMinted}`;
    let isDone = false;
    const start = async () => {
      const answer = isMinted
        ? await admin.post('/license/keys', { customerId, tier: 'basic' })
        : await report(customerId);
      isDone = true;
      return answer;
    };
    const started = await db.transaction(async (transaction) => {
      await lockErasures(transaction);
      const pending = start();
      await new Promise((resolve) => setTimeout(resolve, 300));
      t.notOk(isDone);
      await markErased(transaction, customerId);
      return [pending];
    });
    t.ok((await started[0])?.status);
    t.equal((await report(customerId)).body.outcomes[0].outcome, expected);
    t.equal((await countsOf(customerId)).download_reports ?? 0, isMinted ? 20 : 0);
  }
});
