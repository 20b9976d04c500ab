/**
 * Who may call: the vendor, the gated registry, the holder of a licence key.
 */
import { type AccessKind, bearerToken, metricsAccess, secretsEqual } from '@carton/runtime/service';
import type { Knex } from 'knex';
import type { GuessLimiter } from './license/guesses.ts';
import type { License } from './license/schemas.ts';
import { identifyLicense } from './license/service.ts';

/** What a credential is held against. */
export interface CredentialScope {
  db: Knex;
  guesses: GuessLimiter;
  adminSecret: string;
  registrySecret: string;
  metricsSecret?: string | undefined;
}

const admin: AccessKind<CredentialScope, true> = {
  name: 'admin',
  schemes: { adminSecret: { type: 'http', scheme: 'bearer', description: "The vendor's own secret" } },
  authenticate: (ctx, { adminSecret }) => secretsEqual(bearerToken(ctx), adminSecret) || null,
};

const registry: AccessKind<CredentialScope, true> = {
  name: 'registry',
  schemes: { registrySecret: { type: 'http', scheme: 'bearer', description: 'Secret of the gated registry' } },
  authenticate: (ctx, { registrySecret }) => secretsEqual(bearerToken(ctx), registrySecret) || null,
};

/** Routes with this access declare what `identifyLicense` throws. */
const license: AccessKind<CredentialScope, License> = {
  name: 'license',
  schemes: { licenseKey: { type: 'http', scheme: 'bearer', description: 'A licence key' } },
  authenticate(ctx, scope) {
    const key = bearerToken(ctx);
    return key === null ? null : identifyLicense(scope, key, ctx.ip);
  },
};

const metrics = metricsAccess<CredentialScope>(({ metricsSecret }) => metricsSecret);

export const accessKinds = [admin, registry, license, metrics] as unknown as AccessKind<CredentialScope, never>[];
