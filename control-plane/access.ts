/**
 * Access kinds: the vendor, the gated registry, the publisher, the website hosting layer, holders of licence keys.
 */
import { type AccessKind, bearerToken, type MetricsReader, metricsAccess, secretsEqual } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { GuessLimiter } from './license/guesses.ts';
import { identifyLicense, type LicenseCallers } from './license/service.ts';

/** What credentials are compared with. */
export interface CredentialScope {
  db: Knex;
  guesses: GuessLimiter;
  adminSecret: string;
  registrySecret: string;
  /** Without it, releases cannot be published. */
  publishSecret?: string | undefined;
  /** Without it, there is no website hosting layer. */
  hostingSecret?: string | undefined;
  metricsSecret?: string | undefined;
}

const admin: AccessKind<CredentialScope, LicenseCallers['admin'], 'admin'> = {
  name: 'admin',
  schemes: { adminSecret: { type: 'http', scheme: 'bearer', description: 'Secret of the vendor' } },
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
  schemes: {
    publishSecret: { type: 'http', scheme: 'bearer', description: 'Secret of the publisher of packages and releases' },
  },
  authenticate: (ctx, { publishSecret }) =>
    publishSecret !== undefined && secretsEqual(bearerToken(ctx), publishSecret) ? { publisher: true } : null,
};

const hosting: AccessKind<CredentialScope, LicenseCallers['hosting'], 'hosting'> = {
  name: 'hosting',
  schemes: { hostingSecret: { type: 'http', scheme: 'bearer', description: 'Secret of the website hosting layer' } },
  authenticate: (ctx, { hostingSecret }) =>
    hostingSecret !== undefined && secretsEqual(bearerToken(ctx), hostingSecret) ? { hosting: true } : null,
};

/** Routes with this access declare the problems of `identifyLicense`. */
const license: AccessKind<CredentialScope, LicenseCallers['license'], 'license'> = {
  name: 'license',
  schemes: { licenseKey: { type: 'http', scheme: 'bearer', description: 'A licence key' } },
  async authenticate(ctx, scope) {
    const key = bearerToken(ctx);
    return key === null ? null : { license: await identifyLicense(scope, key, ctx.ip) };
  },
};

const metrics = metricsAccess<CredentialScope>(({ metricsSecret }) => metricsSecret);

/** An authenticated caller. */
export type Caller = LicenseCallers['admin' | 'registry' | 'publisher' | 'hosting' | 'license'] | MetricsReader;

export const accessKinds: readonly AccessKind<CredentialScope, Caller>[] = [
  admin,
  registry,
  publisher,
  hosting,
  license,
  metrics,
];
