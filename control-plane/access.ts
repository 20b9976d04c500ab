/**
 * Who may call: the vendor, the gated registry, the holder of a licence key.
 */
import { type AccessKind, bearerToken, type MetricsReader, metricsAccess, secretsEqual } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { GuessLimiter } from './license/guesses.ts';
import { identifyLicense, type LicenseCallers } from './license/service.ts';

/** What a credential is held against. */
export interface CredentialScope {
  db: Knex;
  guesses: GuessLimiter;
  adminSecret: string;
  registrySecret: string;
  /** Without it nobody publishes releases. */
  publishSecret?: string | undefined;
  metricsSecret?: string | undefined;
}

const admin: AccessKind<CredentialScope, LicenseCallers['admin'], 'admin'> = {
  name: 'admin',
  schemes: { adminSecret: { type: 'http', scheme: 'bearer', description: "The vendor's own secret" } },
  authenticate: (ctx, { adminSecret }) => (secretsEqual(bearerToken(ctx), adminSecret) ? { admin: true } : null),
};

const registry: AccessKind<CredentialScope, LicenseCallers['registry'], 'registry'> = {
  name: 'registry',
  schemes: { registrySecret: { type: 'http', scheme: 'bearer', description: 'Secret of the gated registry' } },
  authenticate: (ctx, { registrySecret }) =>
    secretsEqual(bearerToken(ctx), registrySecret) ? { registry: true } : null,
};

const publisher: AccessKind<CredentialScope, LicenseCallers['publisher'], 'publisher'> = {
  name: 'publisher',
  schemes: { publishSecret: { type: 'http', scheme: 'bearer', description: 'Secret of whoever publishes packages' } },
  authenticate: (ctx, { publishSecret }) =>
    publishSecret !== undefined && secretsEqual(bearerToken(ctx), publishSecret) ? { publisher: true } : null,
};

/** Routes with this access declare what `identifyLicense` throws. */
const license: AccessKind<CredentialScope, LicenseCallers['license'], 'license'> = {
  name: 'license',
  schemes: { licenseKey: { type: 'http', scheme: 'bearer', description: 'A licence key' } },
  async authenticate(ctx, scope) {
    const key = bearerToken(ctx);
    return key === null ? null : { license: await identifyLicense(scope, key, ctx.ip) };
  },
};

const metrics = metricsAccess<CredentialScope>(({ metricsSecret }) => metricsSecret);

/** Whoever was let in. */
export type Caller = LicenseCallers['admin' | 'registry' | 'publisher' | 'license'] | MetricsReader;

export const accessKinds: readonly AccessKind<CredentialScope, Caller>[] = [
  admin,
  registry,
  publisher,
  license,
  metrics,
];
