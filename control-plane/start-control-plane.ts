/**
 * The start of the control plane, step by step.
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
import { type ControlPlaneServices, controlPlaneApi, migrationOwner } from './api.ts';
import { openServedDomains, type ServedDomains } from './boxes/served/domains.ts';
import { openEncryption } from './encryption.ts';
import { controlPlaneJobs } from './jobs.ts';
import { openJournalKeys } from './journal-key.ts';
import manifest from './package.json' with { type: 'json' };
import { RefusedCredentials } from './refused-credentials.ts';
import { startJobs } from './schedule.ts';
import type { ControlPlaneOptions } from './services.ts';
import { openSigningKeys } from './signing/keys.ts';
import { downloadFamilies } from './telemetry/metrics.ts';
import { webhookFamilies } from './webhooks/metrics.ts';

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
    const journalKeys = openJournalKeys(signingKeySecret);
    const { allowHttpWebhooks: allowHttp = false, allowPrivateWebhooks: allowPrivate = false, ownHosts } = options;
    const checkWebhook = openUrlChecks({ allowHttp, allowPrivate, ownHosts }, options.nameserverLookup);
    for (const warning of warningsOf(options)) log.warn(warning);
    const jobs = await startJobs(
      controlPlaneJobs(options, { db, log, checkWebhook, webhookSecrets, journalKeys }),
      log,
    );
    onClose(jobs.stop);
    const served = await openServedDomains(db, databaseUrl, log);
    onClose(() => served.close());
    const refused = new RefusedCredentials();
    operations.addMetrics([...webhookFamilies(db), ...downloadFamilies(db), ...refused.families]);
    const opened = { db, signing, served, log, checkWebhook, webhookSecrets, journalKeys };
    return { api: controlPlaneApi(options, opened, refused), handle: { served } };
  });
}

/** What an operator of the control plane should know about its settings. */
function warningsOf({ signingKeySecret, nameservers, provesDomains }: ControlPlaneOptions): string[] {
  return [
    ...(signingKeySecret === undefined
      ? ['SIGNING_KEY_SECRET is not set: a backup of the database is enough to sign activation tokens']
      : []),
    ...(nameservers.length === 0
      ? ['NAMESERVERS is not set: domains of boxes cannot be delegated, and are proved by TXT records only']
      : []),
    ...(provesDomains ? [] : ['DOMAIN_PROOF is off: domains of boxes are served without a proof of ownership']),
  ];
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
