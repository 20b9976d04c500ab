/**
 * Access kinds: administrators of the vendor, the gated registry, the publisher, the website hosting layer, holders of licence keys.
 */
import {
  type AccessKind,
  accessKindsOf,
  bearerToken,
  type MetricsReader,
  metricsAccess,
} from '@carton/runtime/service';
import type { Knex } from 'knex';
import { type Role, rejectRole } from './administrators/roles.ts';
import { isAdministratorSecret } from './administrators/secret.ts';
import { findActor } from './administrators/store.ts';
import { type GuessLimiter, guesserOf } from './license/guesses.ts';
import type { LicenseLimits } from './license/limits.ts';
import { identifyLicense, type LicenseCallers } from './license/service.ts';
import type { CredentialName, RefusedCredentials } from './refused-credentials.ts';
import { isOneOf, isUnguessable, type Secret, valuesOf } from './registry/secrets.ts';
import type { Actor } from './services.ts';

/** What credentials are compared with. */
export interface CredentialScope {
  db: Knex;
  guesses: GuessLimiter;
  limits: LicenseLimits;
  refused: RefusedCredentials;
  adminSecret: Secret;
  registrySecret: Secret;
  /** Without it, releases cannot be published. */
  publishSecret?: Secret | undefined;
  /** Without it, there is no website hosting layer. */
  hostingSecret?: Secret | undefined;
  metricsSecret?: Secret | undefined;
}

/** The caller that each secret is of, as the metrics name it. */
const secrets = {
  adminSecret: 'admin',
  registrySecret: 'registry',
  publishSecret: 'publisher',
  hostingSecret: 'hosting',
  metricsSecret: 'metrics',
} as const satisfies Record<string, CredentialName>;

type SecretName = keyof typeof secrets;

/**
 * Compares what a client sent with a secret. What equals none of the secrets counts as a guess at this one.
 * @throws too_many_requests (429) for a guess of an address with too many
 */
export function isSecret(
  scope: CredentialScope,
  secret: SecretName,
  { sent, address }: { sent: string; address: string },
) {
  const sources = [guesserOf(secrets[secret], address)];
  if (!isUnguessable(scope[secret])) scope.guesses.check(sources);
  if (isOneOf(sent, scope[secret])) return true;
  const isMisplaced = isOfAnother(scope, sent) || isAdministratorSecret(sent);
  scope.refused.count(secrets[secret], isMisplaced ? 'misplaced' : 'unknown');
  if (!isMisplaced) scope.guesses.count(sources);
  return false;
}

function isOfAnother(scope: CredentialScope, sent: string): boolean {
  return Object.keys(secrets).some((other) => isOneOf(sent, scope[other as SecretName]));
}

/** Callers who send a secret as a bearer token. Routes with such an access declare `too_many_requests`. */
function secretAccess<Name extends 'registry' | 'publisher' | 'hosting'>(
  name: Name,
  secret: SecretName,
  description: string,
  actor?: Actor,
): AccessKind<CredentialScope, LicenseCallers[Name], Name> {
  return {
    name,
    schemes: { [secret]: { type: 'http', scheme: 'bearer', description } },
    authenticate(ctx, scope) {
      const sent = bearerToken(ctx);
      const isCaller = sent !== null && isSecret(scope, secret, { sent, address: ctx.ip });
      return isCaller ? ({ [name]: true, ...(actor && { actor }) } as LicenseCallers[Name]) : null;
    },
  };
}

const owner: Actor = { id: null, name: 'ADMIN_SECRET', role: 'owner' };

/**
 * Finds the administrator who sent a secret. An unknown one counts as a guess; that of an administrator never does.
 * @throws too_many_requests (429) for a guess of an address with too many
 */
async function identifyAdministrator(
  scope: CredentialScope,
  sent: string,
  { address, asked }: { address: string; asked: 'admin' | 'metrics' },
): Promise<Actor | null> {
  const sources = [guesserOf('admin', address)];
  const actor = isAdministratorSecret(sent) ? await findActor(scope.db, sent) : null;
  if (actor !== null && actor !== 'ended') return actor;
  if (!isUnguessable(scope.adminSecret)) scope.guesses.check(sources);
  if (isOneOf(sent, scope.adminSecret)) return owner;
  const isMisplaced = isOfAnother(scope, sent);
  // The other kind of access to the metrics accepts their secret.
  if (asked === 'admin' || !isOneOf(sent, scope.metricsSecret))
    scope.refused.count(asked, actor === 'ended' ? 'ended' : isMisplaced ? 'misplaced' : 'unknown');
  if (actor === null && !isMisplaced) scope.guesses.count(sources);
  return null;
}

/** Routes with this access declare what `declareRole` adds. */
const admin: AccessKind<CredentialScope, LicenseCallers['admin'], 'admin'> = {
  name: 'admin',
  schemes: {
    adminSecret: {
      type: 'http',
      scheme: 'bearer',
      description: 'Secret of an administrator, or ADMIN_SECRET, which has the role `owner`',
    },
  },
  async authenticate(ctx, scope, declaration) {
    const sent = bearerToken(ctx);
    const asked = accessKindsOf(declaration).includes('metrics') ? 'metrics' : 'admin';
    const actor = sent === null ? null : await identifyAdministrator(scope, sent, { address: ctx.ip, asked });
    if (actor === null) return null;
    rejectRole(declaration, actor.role as Role);
    return { admin: true, actor };
  },
};

/** Routes with this access declare the problems of `identifyLicense`. */
const license: AccessKind<CredentialScope, LicenseCallers['license'], 'license'> = {
  name: 'license',
  schemes: { licenseKey: { type: 'http', scheme: 'bearer', description: 'A licence key' } },
  async authenticate(ctx, scope) {
    const key = bearerToken(ctx);
    if (key === null) return null;
    const kind = ctx.method === 'GET' ? 'read' : 'write';
    return { license: await identifyLicense(scope, key, { address: ctx.ip, kind }) };
  },
};

const metrics = metricsAccess<CredentialScope>(({ metricsSecret }) => valuesOf(metricsSecret));

/** An authenticated caller. */
export type Caller = LicenseCallers['admin' | 'registry' | 'publisher' | 'hosting' | 'license'] | MetricsReader;

export const accessKinds: readonly AccessKind<CredentialScope, Caller>[] = [
  admin,
  secretAccess('registry', 'registrySecret', 'Secret of the gated registry'),
  secretAccess('publisher', 'publishSecret', 'Secret of the publisher of packages and releases', {
    id: null,
    name: 'PUBLISH_SECRET',
    role: 'publisher',
  }),
  secretAccess('hosting', 'hostingSecret', 'Secret of the website hosting layer'),
  license,
  metrics,
];
