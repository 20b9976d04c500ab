// What the registry answers itself, after the gate and without Verdaccio: tarballs, changes of the publisher, provenance,
// public keys, metrics and audits.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { callerName, type Gate, type Grant } from './gate.ts';
import type { Limits } from './limits.ts';
import { type Metrics, metricsType } from './metrics.ts';
import type { createPublisher } from './packages/publisher.ts';
import { metricsSecretWrong } from './refusal.ts';
import type { RequestTarget } from './request-target.ts';
import { isOneOf, type Secret } from './secrets.ts';
import { type PackageKeys, sendPackageKeys } from './signatures/package-keys.ts';
import type { ProvenanceServer } from './signatures/provenance.ts';
import type { TarballServer } from './tarballs.ts';

/** @throws Refusal */
export type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type OwnAnswersOptions = {
  gate: Gate;
  limits: Limits;
  tarballs: TarballServer;
  publisher: ReturnType<typeof createPublisher>;
  provenance: ProvenanceServer;
  packageKeys: PackageKeys | undefined;
  metrics: Metrics;
  /** Without it, there are no metrics. */
  metricsSecret: Secret | undefined;
};

/** Returns the function that finds the answer to a request, or undefined for one that Verdaccio answers. */
export function createOwnAnswers({
  gate,
  limits,
  tarballs,
  publisher,
  provenance,
  packageKeys,
  metrics,
  metricsSecret,
}: OwnAnswersOptions) {
  return (target: RequestTarget): Answer | undefined => {
    if (target.kind === 'metrics' && metricsSecret !== undefined) {
      return async ({ headers, method }, response) => {
        const secret = /^Bearer +([^ ]+)$/i.exec(headers.authorization ?? '')?.[1];
        if (!isOneOf(secret, metricsSecret)) {
          if (secret !== undefined) metrics.countCredential('metrics', 'wrong');
          throw metricsSecretWrong();
        }
        response.setHeader('Content-Type', metricsType);
        response.setHeader('Cache-Control', 'no-store');
        response.end(method === 'HEAD' ? undefined : await metrics.text());
      };
    }
    if (target.kind === 'keys') return async (_request, response) => sendPackageKeys(response, packageKeys);
    if (target.kind === 'tarball') {
      return async (request, response) => {
        const grant = await gate.authorize(request);
        const { caller } = grant;
        nameCaller(request, grant);
        if (caller.kind === 'anyone') return;
        const end = caller.kind === 'customer' ? limits.startTarball(caller.licence.customerId) : () => {};
        await tarballs.serve(request, response, target, caller).finally(end);
      };
    }
    if (target.kind === 'publisher' && target.isChange) {
      return (request, response) => publisher(request, response, (grant) => nameCaller(request, grant));
    }
    if (target.kind === 'provenance' || target.kind === 'release-provenance') {
      const { isChange } = target;
      const subject =
        target.kind === 'provenance' ? { of: 'package' as const, ...target } : { of: 'release' as const, ...target };
      return async (request, response) => {
        nameCaller(request, await gate.authorize(request));
        await provenance[isChange ? 'store' : 'serve'](request, response, subject);
      };
    }
    if (target.kind === 'audit') {
      return async (request, response) => {
        request.resume();
        nameCaller(request, await gate.authorize(request));
        response.setHeader('Content-Type', 'application/json; charset=utf-8');
        response.end(target.form === 'bulk' ? '{}' : JSON.stringify(cleanAudit));
      };
    }
    return undefined;
  };
}

/** Names the caller for the log, as the plugin does for requests that Verdaccio answers. */
function nameCaller(request: IncomingMessage, grant: Grant): void {
  (request as { remote_user?: { name: string } }).remote_user = { name: callerName(grant) };
}

/** An audit without a finding: the vendor publishes no advisories. */
const cleanAudit = {
  actions: [],
  advisories: {},
  muted: [],
  metadata: {
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 0 },
    dependencies: 0,
    devDependencies: 0,
    optionalDependencies: 0,
    totalDependencies: 0,
  },
};
