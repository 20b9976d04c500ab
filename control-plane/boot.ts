/**
 * Starts the control plane: database, migrations, signing keys, API.
 */
import { applyMigrations, connect, type RunningApi, startService, vendor } from '@carton/runtime/service';
import { type ControlPlaneServices, controlPlaneApi, migrationOwner } from './api.ts';
import { startSchedule } from './boxes/proof/schedule.ts';
import manifest from './package.json' with { type: 'json' };
import type { ControlPlaneOptions } from './services.ts';
import { openSigningKeys } from './signing/keys.ts';

export type RunningControlPlane = RunningApi<ControlPlaneServices>;

/**
 * Starts the control plane and resolves once it listens.
 * @throws Error with a message of one line that names the cause
 */
export function startControlPlane(options: ControlPlaneOptions): Promise<RunningControlPlane> {
  const about = { name: `${vendor.name}-control-plane`, version: manifest.version };
  return startService({ ...options, about }, async ({ log, operations, onClose }) => {
    const { databaseUrl, poolSize, tokenLifetimeSeconds, signingKeySecret } = options;
    const observer = operations.observeDatabase;
    const db = connect({ url: databaseUrl, poolSize, applicationName: 'control-plane', observer });
    onClose(() => db.destroy());
    await applyMigrations(db, [migrationOwner], log);
    const signing = await openSigningKeys(db, { tokenLifetime: tokenLifetimeSeconds, secret: signingKeySecret });
    if (options.nameservers.length === 0)
      log.warn('NAMESERVERS is not set: domains of boxes cannot be delegated, and are proved by TXT records only');
    if (!options.provesDomains)
      log.warn('DOMAIN_PROOF is off: domains of boxes are served without a proof of ownership');
    const { domainCheckInterval = 15_000 } = options;
    const schedule = domainCheckInterval > 0 ? startSchedule(db, options, log, domainCheckInterval) : null;
    onClose(async () => schedule?.stop());
    return { api: controlPlaneApi(options, { db, signing, log }), handle: {} };
  });
}
