/**
 * Access kinds: the vendor, the gated registry, the publisher, the website hosting layer, holders of licence keys.
 */
import {
  type AccessKind,
  addressBlock,
  bearerToken,
  type MetricsReader,
  metricsAccess,
  secretsEqual,
} from '@carton/runtime/service';
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

type Secret = 'adminSecret' | 'registrySecret' | 'publishSecret' | 'hostingSecret' | 'metricsSecret';

/**
 * Compares what a client sent with a secret. What equals none of the secrets counts as a guess.
 * @throws too_many_requests (429) for an address with too many guesses
 */
export function isSecret(scope: CredentialScope, secret: Secret, { sent, address }: { sent: string; address: string }) {
  const sources = [`address ${addressBlock(address)}`];
  scope.guesses.check(sources);
  if (secretsEqual(sent, scope[secret])) return true;
  if (!secrets.some((other) => secretsEqual(sent, scope[other]))) scope.guesses.count(sources);
  return false;
}

const secrets: readonly Secret[] = ['adminSecret', 'registrySecret', 'publishSecret', 'hostingSecret', 'metricsSecret'];

/** Callers who send a secret as a bearer token. Routes with such an access declare `too_many_requests`. */
function secretAccess<Name extends 'admin' | 'registry' | 'publisher' | 'hosting'>(
  name: Name,
  secret: Secret,
  description: string,
): AccessKind<CredentialScope, LicenseCallers[Name], Name> {
  return {
    name,
    schemes: { [secret]: { type: 'http', scheme: 'bearer', description } },
    authenticate(ctx, scope) {
      const sent = bearerToken(ctx);
      const isCaller = sent !== null && isSecret(scope, secret, { sent, address: ctx.ip });
      return isCaller ? ({ [name]: true } as LicenseCallers[Name]) : null;
    },
  };
}

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
  secretAccess('admin', 'adminSecret', 'Secret of the vendor'),
  secretAccess('registry', 'registrySecret', 'Secret of the gated registry'),
  secretAccess('publisher', 'publishSecret', 'Secret of the publisher of packages and releases'),
  secretAccess('hosting', 'hostingSecret', 'Secret of the website hosting layer'),
  license,
  metrics,
];
