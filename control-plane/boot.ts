/**
 * Starts the control plane: database, migrations, signing keys, API.
 */
import {
  applyMigrations,
  connect,
  openUrlChecks,
  type RunningApi,
  startPatience,
  startService,
  vendor,
} from '@carton/runtime/service';
import type { Knex } from 'knex';
import { type ControlPlaneServices, controlPlaneApi, migrationOwner } from './api.ts';
import { hostingSecretEncryption } from './boxes/hosting-secret.ts';
import { checkDueDomains } from './boxes/proof/schedule.ts';
import { openServedDomains, type ServedDomains } from './boxes/served/domains.ts';
import { removeLeftovers } from './customers/leftovers.ts';
import { updateZones } from './dns/work.ts';
import { encryptColumnAgain, keepEncrypted } from './encrypt-again.ts';
import { openEncryption } from './encryption.ts';
import { removeOldEvents } from './events/outbox.ts';
import { openJournalKeys } from './journal-key.ts';
import { removeOldActivations } from './license/installations.ts';
import { removeOldWarnings, warnOfExpiry } from './license/warnings.ts';
import manifest from './package.json' with { type: 'json' };
import { RefusedCredentials } from './refused-credentials.ts';
import { startSchedule } from './schedule.ts';
import type { ControlPlaneOptions } from './services.ts';
import { openSigningKeys } from './signing/keys.ts';
import { encryptKeysAgain } from './signing/private-keys.ts';
import { downloadFamilies } from './telemetry/metrics.ts';
import { removeOldReports, rollUpReports } from './telemetry/roll-up.ts';
import { removeOldDeliveries } from './webhooks/deliveries.ts';
import { webhookFamilies } from './webhooks/metrics.ts';
import { openWebhookWorker } from './webhooks/worker.ts';

export type RunningControlPlane = RunningApi<ControlPlaneServices> & { served: ServedDomains };

/**
 * Starts the control plane and resolves once it listens.
 * @throws Error with a message of one line that names the cause
 */
export function startControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const about = { name: `${vendor.name}-control-plane`, version: manifest.version };
  return startService({ ...options, about }, async ({ log, operations, onClose }) => {
    const { databaseUrl, poolSize, tokenLifetimeSeconds, signingKeySecret } = options;
    const observer = operations.observeDatabase;
    await prepareDatabase(databaseUrl, log);
    const db = connect({ url: databaseUrl, poolSize, applicationName: 'control-plane', observer });
    onClose(() => db.destroy());
    const signing = await openSigningKeys(db, { tokenLifetime: tokenLifetimeSeconds, secret: signingKeySecret });
    const webhookSecrets = openEncryption(signingKeySecret, 'webhook secrets', 'the secret of a webhook');
    const hostingSecrets = hostingSecretEncryption(signingKeySecret);
    const journalKeys = openJournalKeys(signingKeySecret);
    // All that SIGNING_KEY_SECRET encrypts.
    const encrypted = [
      () => encryptKeysAgain(db, signingKeySecret),
      () => encryptColumnAgain(db, hostingSecrets, { table: 'boxes', column: 'hostingSecret' }),
      () => encryptColumnAgain(db, webhookSecrets, { table: 'webhooks', column: 'secret' }),
      () => encryptColumnAgain(db, webhookSecrets, { table: 'webhooks', column: 'formerSecret' }),
      () => journalKeys.encryptAgain(db),
    ];
    const encryption = await keepEncrypted(signingKeySecret, encrypted, log, options.encryptionInterval);
    onClose(() => encryption.stop());
    if (signingKeySecret === undefined)
      log.warn('SIGNING_KEY_SECRET is not set: a backup of the database is enough to sign activation tokens');
    if (options.nameservers.length === 0)
      log.warn('NAMESERVERS is not set: domains of boxes cannot be delegated, and are proved by TXT records only');
    if (!options.provesDomains)
      log.warn('DOMAIN_PROOF is off: domains of boxes are served without a proof of ownership');
    const { domainCheckInterval = 15_000, powerdns } = options;
    if (domainCheckInterval > 0) {
      const check = () => checkDueDomains(db, options, log);
      const checks = startSchedule(check, log, 'domains could not be checked', domainCheckInterval);
      onClose(() => checks.stop());
    }
    if (domainCheckInterval > 0 && powerdns) {
      const update = () => updateZones(db, { ...options, powerdns }, log);
      const updates = startSchedule(update, log, 'zones could not be updated', domainCheckInterval);
      onClose(() => updates.stop());
    }
    const { warningInterval = 60_000 } = options;
    if (warningInterval > 0) {
      const warn = () => warnOfExpiry(db);
      const warnings = startSchedule(warn, log, 'expiring licences could not be warned of', warningInterval);
      onClose(() => warnings.stop());
    }
    const removals = startSchedule(
      () => removeOldActivations(db),
      log,
      'old activations could not be removed',
      3_600_000,
    );
    onClose(() => removals.stop());
    const cleaning = startSchedule(() => removeOld(db), log, 'old events could not be removed', 3_600_000);
    onClose(() => cleaning.stop());
    const leftovers = startSchedule(
      () => removeLeftovers(db),
      log,
      'leftovers of erased customers could not be removed',
      3_600_000,
    );
    onClose(() => leftovers.stop());
    const { rollUpInterval = 60_000, reportRetentionDays = 400 } = options;
    if (rollUpInterval > 0) {
      const rollUps = startSchedule(() => rollUpReports(db), log, 'downloads could not be counted', rollUpInterval);
      onClose(() => rollUps.stop());
    }
    const reportRemovals = startSchedule(
      () => removeOldReports(db, reportRetentionDays),
      log,
      'old download reports could not be removed',
      3_600_000,
    );
    onClose(() => reportRemovals.stop());
    const { allowHttpWebhooks: allowHttp = false, allowPrivateWebhooks: allowPrivate = false, ownHosts } = options;
    const checkWebhook = openUrlChecks({ allowHttp, allowPrivate, ownHosts }, options.nameserverLookup);
    operations.addMetrics([...webhookFamilies(db), ...downloadFamilies(db)]);
    const { webhookInterval = 2_000 } = options;
    if (webhookInterval > 0) {
      const worker = openWebhookWorker({ db, checkWebhook, webhookSecrets, log, timeout: options.webhookTimeout });
      const deliveries = startSchedule(() => worker.work(), log, 'events could not be sent', webhookInterval);
      onClose(async () => {
        await deliveries.stop();
        await worker.stop();
      });
    }
    const served = await openServedDomains(db, databaseUrl, log);
    onClose(() => served.close());
    const refused = new RefusedCredentials();
    operations.addMetrics(refused.families);
    const opened = { db, signing, served, log, checkWebhook, webhookSecrets, journalKeys };
    return { api: controlPlaneApi(options, opened, refused), handle: { served } };
  });
}

async function removeOld(db: Knex): Promise<void> {
  await removeOldEvents(db);
  await removeOldDeliveries(db);
  await removeOldWarnings(db);
}

/** Applies the migrations, on connections for which it waits longer than a request does. */
async function prepareDatabase(url: string, log: Parameters<typeof applyMigrations>[2]): Promise<void> {
  const db = connect({ url, applicationName: 'control-plane start', acquireTimeout: startPatience });
  try {
    await applyMigrations(db, [migrationOwner], log);
  } finally {
    await db.destroy();
  }
}
