/**
 * The jobs of a control plane. Each is declared in the folder it belongs to, with its interval by default.
 */
import type { Knex } from 'knex';
import { hostingSecretEncryption } from './boxes/hosting-secret.ts';
import { domainJob } from './boxes/proof/schedule.ts';
import { leftoverJob } from './customers/leftovers.ts';
import { zoneJob } from './dns/work.ts';
import { encryptColumnAgain, encryptionJob } from './encrypt-again.ts';
import { removeOldEvents } from './events/outbox.ts';
import type { JournalKeys } from './journal-key.ts';
import { activationJob } from './license/installations.ts';
import { removeOldWarnings, warningJob } from './license/warnings.ts';
import type { Job } from './schedule.ts';
import type { ControlPlaneOptions } from './services.ts';
import { encryptKeysAgain } from './signing/private-keys.ts';
import { countJob, reportJob } from './telemetry/roll-up.ts';
import { removeOldDeliveries } from './webhooks/deliveries.ts';
import { type WebhookServices, webhookJob } from './webhooks/worker.ts';

export interface JobServices extends Omit<WebhookServices, 'timeout'> {
  journalKeys: JournalKeys;
}

export function controlPlaneJobs(options: ControlPlaneOptions, services: JobServices): Job[] {
  const { db, log } = services;
  const { domainCheckInterval, powerdns } = options;
  return [
    encryptionJob(options.signingKeySecret, encryptedSecrets(options, services), log, options.encryptionInterval),
    domainJob(db, options, log, domainCheckInterval),
    ...(powerdns ? [zoneJob(db, { ...options, powerdns }, log, domainCheckInterval)] : []),
    warningJob(db, options.warningInterval),
    activationJob(db),
    oldEventJob(db),
    leftoverJob(db),
    countJob(db, options.rollUpInterval),
    reportJob(db, options.reportRetentionDays),
    webhookJob({ ...services, timeout: options.webhookTimeout }, options.webhookInterval),
  ];
}

/** All that SIGNING_KEY_SECRET encrypts. */
function encryptedSecrets(
  { signingKeySecret }: ControlPlaneOptions,
  { db, webhookSecrets, journalKeys }: JobServices,
): (() => Promise<number>)[] {
  const hostingSecrets = hostingSecretEncryption(signingKeySecret);
  return [
    () => encryptKeysAgain(db, signingKeySecret),
    () => encryptColumnAgain(db, hostingSecrets, { table: 'boxes', column: 'hostingSecret' }),
    () => encryptColumnAgain(db, webhookSecrets, { table: 'webhooks', column: 'secret' }),
    () => encryptColumnAgain(db, webhookSecrets, { table: 'webhooks', column: 'formerSecret' }),
    () => journalKeys.encryptAgain(db),
  ];
}

/** One job of three folders: events, their deliveries, and what says which warnings were made. */
function oldEventJob(db: Knex): Job {
  return {
    complaint: 'old events could not be removed',
    interval: 3_600_000,
    async run() {
      await removeOldEvents(db);
      await removeOldDeliveries(db);
      await removeOldWarnings(db);
    },
  };
}
