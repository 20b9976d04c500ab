// The gate authenticates callers and authorises their requests before Verdaccio handles them; `gate-plugin.ts` connects
// it to Verdaccio.

import type { IncomingMessage } from 'node:http';
import { type Licence, type TokenVerification, verifyActivationToken } from './activation-token.ts';
import type { DownloadReporter } from './downloads.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { PublishedPackage } from './packages/packument.ts';
import type { Catalogue } from './packages/packuments.ts';
import {
  licenceWithdrawn,
  notEntitled,
  packageNotFound,
  publisherOnly,
  Refusal,
  reportNotStored,
  tokenMissing,
  unsupportedPath,
} from './refusal.ts';
import { parseTarget } from './request-target.ts';
import { isOneOf, isUnguessable, type Secret } from './secrets.ts';
import type { PackageKeys } from './signatures/package-keys.ts';
import { requireSigned } from './signatures/publication.ts';
import type { Withdrawals } from './withdrawals.ts';

/** An authenticated caller. */
export type Caller = { kind: 'publisher' } | { kind: 'customer'; licence: Licence };

/** What a request may do. `packageName` is the only package that a customer's request may read. */
export type Grant = { caller: Caller | { kind: 'anyone' }; packageName?: string };

export type Gate = {
  /**
   * Authenticates the caller of a request.
   * @throws Refusal (401, 403 for a withdrawn licence, 429 for too many wrong tokens or secrets, 503)
   */
  authenticateCaller(request: IncomingMessage): Promise<Caller>;
  /**
   * Authorises a request.
   * @throws Refusal
   */
  authorize(request: IncomingMessage): Promise<Grant>;
};

export type GateOptions = {
  publishSecret: Secret;
  tokens: TokenVerification;
  withdrawals: Pick<Withdrawals, 'concern'>;
  limits: Limits;
  catalogue: Catalogue;
  downloads: DownloadReporter;
  /** Keys with which published versions must be signed; without them, they need no signature. */
  packageKeys?: PackageKeys | undefined;
  log: Log;
  /** Is called with each credential that is refused. */
  onRefused?: Metrics['countCredential'];
};

/** A JWT (RFC 7519): its header begins with `{"`. No such credential is a guess at the publisher's secret. */
const tokenShape = /^eyJ[\w-]*\.[\w-]+\.[\w-]*$/;

/** Creates the gate. Publisher and customers both use `Authorization: Bearer`. */
export function createGate({
  publishSecret,
  tokens,
  withdrawals,
  limits,
  catalogue,
  downloads,
  packageKeys,
  log,
  onRefused = () => {},
}: GateOptions): Gate {
  async function authenticateCaller(request: IncomingMessage): Promise<Caller> {
    const credential = /^Bearer +([^ ]+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (credential === undefined) throw tokenMissing();
    const isGuess = !tokenShape.test(credential);
    if (isGuess && !isUnguessable(publishSecret)) limits.rejectGuesser(request);
    if (isOneOf(credential, publishSecret)) return { kind: 'publisher' };
    if (isGuess) {
      onRefused('publisher', 'wrong');
      limits.countGuess(request);
    }
    try {
      const licence = await verifyActivationToken(credential, tokens);
      if (withdrawals.concern(licence)) throw licenceWithdrawn();
      return { kind: 'customer', licence };
    } catch (error) {
      if (error instanceof Refusal) {
        if (error.reason !== undefined && !isGuess) onRefused('token', error.reason);
        if (error.code === 'token_invalid') limits.countWrongToken(request);
      }
      throw error;
    }
  }

  async function authorize(request: IncomingMessage): Promise<Grant> {
    const target = parseTarget(request.method ?? '', request.url ?? '');
    // For monitoring, without a credential; the response contains no data.
    if (target.kind === 'ping') return { caller: { kind: 'anyone' } };
    const caller = await authenticateCaller(request);
    if (caller.kind === 'customer') limits.countRequest(caller.licence.customerId);
    if (target.kind === 'other' || target.kind === 'metrics' || target.kind === 'keys') throw unsupportedPath();
    if (target.kind === 'whoami' || target.kind === 'audit') return { caller };
    if (caller.kind === 'publisher') {
      if (packageKeys !== undefined) requireSigned(request, packageKeys, Date.now());
      return { caller };
    }
    if (target.kind === 'publisher' || ('isChange' in target && target.isChange)) throw publisherOnly();
    if (target.kind === 'release-provenance') return { caller };

    const { licence } = caller;
    const { packageName, version } = target;
    const published = await catalogue.find(packageName);
    if (published === undefined) throw packageNotFound(packageName);

    if (
      !licence.packages.has(packageName) &&
      !published.platform &&
      !(await isNeededLibrary(packageName, published, licence))
    ) {
      if (request.method === 'GET') {
        // Versions that do not exist are omitted, so that requests for invented ones are repetitions.
        const requested = version ?? published.latest;
        const denied = requested !== undefined && published.versions.has(requested) ? requested : undefined;
        await requireStored(downloads.addDenied(licence, packageName, denied), log);
      }
      throw notEntitled(packageName, published.tier, licence.tier);
    }
    return { caller, packageName };
  }

  /** Whether it is a library with native code that a package of the licence depends on. */
  async function isNeededLibrary(
    packageName: string,
    { native }: PublishedPackage,
    licence: Licence,
  ): Promise<boolean> {
    if (!native) return false;
    const entitled = await Promise.all([...licence.packages].map((name) => catalogue.find(name)));
    return entitled.some((each) => each?.optional.has(packageName));
  }

  return { authenticateCaller, authorize };
}

/** Rejects a download whose report cannot be stored, for example because the disk is full. */
export async function requireStored(report: Promise<void>, log: Log): Promise<void> {
  await report.catch((error: unknown) => {
    log('error', 'a download report could not be written', { reason: String(error) });
    throw reportNotStored();
  });
}

/** The name of a caller in the log: a customer's id, or what it is. */
export function callerName({ caller }: Grant): string {
  return caller.kind === 'customer' ? caller.licence.customerId : caller.kind;
}

/** Awaits a check of the gate. Returns the Refusal that it throws; other errors are logged and become a 500. */
export async function catchRefusal<Result>(step: Promise<Result>, log: Log): Promise<Result | Refusal> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof Refusal) return error;
    log('error', 'the gate failed', { reason: (error as Error).stack });
    return new Refusal(500, 'internal_error', 'The registry failed to check this request');
  }
}
