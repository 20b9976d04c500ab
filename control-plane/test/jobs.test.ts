/**
 * The jobs of a control plane, and how jobs run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openUrlChecks } from '@carton/runtime/service';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { openEncryption } from '../encryption.ts';
import { controlPlaneJobs } from '../jobs.ts';
import { openJournalKeys } from '../journal-key.ts';
import { type Job, startJobs } from '../schedule.ts';
import type { ControlPlaneOptions } from '../services.ts';
import { makeDatabase, optionsFor } from './test-control-plane.ts';

const powerdns = { url: 'http://dns.example', key: 'key', contact: 'dns@example.com', hosting: { name: 'h.example' } };
const hour = 3_600_000;

t.test('these jobs run, at these intervals', async (t) => {
  const { url, db } = await makeDatabase(t);
  const { domainCheckInterval, warningInterval, rollUpInterval, webhookInterval, ...defaults } = optionsFor(url);
  const log = { info: () => {}, warn: () => {} };
  const services = {
    db,
    log,
    checkWebhook: openUrlChecks({ allowHttp: false, allowPrivate: false, ownHosts: [] }, '127.0.0.1:9'),
    webhookSecrets: openEncryption(undefined, 'webhook secrets', 'the secret of a webhook'),
    journalKeys: openJournalKeys(undefined),
  };
  const listed = (changed: Partial<ControlPlaneOptions> = {}) =>
    controlPlaneJobs({ ...defaults, ...changed }, services).map(({ complaint, interval, atStart = false }) => [
      complaint,
      interval,
      atStart,
    ]);
  const withZones = [
    ['secrets in the database could not be encrypted again', 5_000, true],
    ['domains could not be checked', 15_000, false],
    ['zones could not be updated', 15_000, false],
    ['expiring licences could not be warned of', 60_000, false],
    ['old activations could not be removed', hour, false],
    ['old events could not be removed', hour, false],
    ['leftovers of erased customers could not be removed', hour, false],
    ['downloads could not be counted', 60_000, false],
    ['old download reports could not be removed', hour, false],
    ['events could not be sent', 2_000, false],
  ];
  t.match(listed({ powerdns }), exactly(withZones));
  t.match(listed(), exactly(withZones.filter(([complaint]) => complaint !== 'zones could not be updated')));
  const intervals = { domainCheckInterval: 1, warningInterval: 2, rollUpInterval: 3, webhookInterval: 4 };
  const chosen = listed({ ...intervals, powerdns, encryptionInterval: 5 }).map(([, interval]) => interval);
  t.match(chosen, exactly([5, 1, 1, 2, hour, hour, hour, 3, hour, 4]), 'settings choose these');
});

/** A log, and its warnings. */
function logOf() {
  const warnings: string[] = [];
  return { warnings, log: { warn: (_: object, message: string) => warnings.push(message) } };
}

t.test('a job runs again and again, also after a failure, and one with the interval 0 never', async (t) => {
  const runs = { failing: 0, working: 0, never: 0 };
  const job = (name: keyof typeof runs, interval: number): Job => ({
    complaint: `${name} failed`,
    interval,
    atStart: name === 'never',
    async run() {
      runs[name] += 1;
      if (name === 'failing') throw new Error('the database is away');
    },
  });
  const { warnings, log } = logOf();
  const jobs = await startJobs([job('failing', 1), job('working', 1), job('never', 0)], log);
  t.same(runs, { failing: 0, working: 0, never: 0 }, 'the first interval passes first');
  while (runs.failing < 3 || runs.working < 3) await sleep(1);
  await jobs.stop();
  const { length } = warnings;
  t.equal(length, runs.failing);
  t.match(new Set(warnings), new Set(['failing failed']));
  t.equal(runs.never, 0);
  const after = { ...runs };
  await sleep(20);
  t.same(runs, after, 'none runs once they are stopped');
});

t.test('a job runs at the start, before the others, and a failure of it stops nothing', async (t) => {
  const order: string[] = [];
  const { warnings, log } = logOf();
  const first: Job = {
    complaint: 'first failed',
    interval: hour,
    atStart: true,
    async run() {
      await sleep(20);
      order.push('first');
      throw new Error('the database is away');
    },
  };
  const second: Job = { complaint: 'second failed', interval: 1, run: async () => order.push('second') };
  const jobs = await startJobs([second, first], log);
  t.match(order, exactly(['first']));
  while (order.length < 2) await sleep(1);
  await jobs.stop();
  t.match(warnings, exactly(['first failed']));
});

t.test('stopping waits for runs in progress, and then ends what they have begun', async (t) => {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const job: Job = {
    complaint: 'failed',
    interval: 1,
    async run() {
      order.push('run');
      await promise;
      order.push('done');
    },
    end: async () => {
      order.push('end');
    },
  };
  const jobs = await startJobs([job], logOf().log);
  while (order.length === 0) await sleep(1);
  const stopped = jobs.stop();
  await sleep(5);
  t.match(order, exactly(['run']), 'it is in progress');
  resolve();
  await stopped;
  t.match(order, exactly(['run', 'done', 'end']));
});
