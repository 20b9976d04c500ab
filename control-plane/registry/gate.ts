// The gate: who is asking, what for, and whether that is granted. Everything here is decided before Verdaccio's own
// routes see the request; `gate-plugin.ts` ties it to Verdaccio.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Licence, type TokenChecks, verifyActivationToken } from './activation-token.ts';
import type { Catalogue, PublishedPackage } from './catalogue.ts';
import type { Downloads } from './downloads.ts';
import type { Log } from './log.ts';
import {
  notEntitled,
  notServed,
  outsideOfRegistry,
  publisherOnly,
  Refusal,
  reportNotKept,
  tokenMissing,
} from './refusal.ts';
import { readTarget } from './request-target.ts';

/** Someone who has proven who they are. */
export type Identity = { kind: 'publisher' } | { kind: 'customer'; licence: Licence };

/** What was granted to one request. `packageName` is the one package a customer's request may touch. */
export type Grant = { caller: Identity | { kind: 'anyone' }; packageName?: string };

export type Gate = {
  /** Who is asking. Throws a `Refusal` (401, 503) when that cannot be proven. */
  identify(request: IncomingMessage): Promise<Identity>;
  /**
   * Grants a request or throws a `Refusal`. When a customer's tarball is granted its report is already safe on disk,
   * and becomes due as `response` ends.
   */
  admit(request: IncomingMessage, response: ServerResponse): Promise<Grant>;
};

export type GateOptions = {
  publishSecret: string;
  tokens: TokenChecks;
  catalogue: Catalogue;
  downloads: Downloads;
  log: Log;
};

/** Makes the gate. Publisher and customers use the same `Authorization: Bearer` header. */
export function createGate({ publishSecret, tokens, catalogue, downloads, log }: GateOptions): Gate {
  async function identify({ headers }: IncomingMessage): Promise<Identity> {
    const credential = /^Bearer +([^ ]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (credential === undefined) throw tokenMissing();
    if (isSameSecret(credential, publishSecret)) return { kind: 'publisher' };
    return { kind: 'customer', licence: await verifyActivationToken(credential, tokens) };
  }

  async function admit(request: IncomingMessage, response: ServerResponse): Promise<Grant> {
    const target = readTarget(request.method ?? '', request.url ?? '');
    // Says nothing but that the registry is alive, to whoever watches over it.
    if (target.kind === 'ping') return { caller: { kind: 'anyone' } };
    const caller = await identify(request);
    if (target.kind === 'other') throw outsideOfRegistry();
    if (caller.kind === 'publisher') return { caller };
    if (target.kind === 'publisher') throw publisherOnly();

    const { licence } = caller;
    const { packageName, version } = target;
    const published = await catalogue.find(packageName);
    if (published === undefined) throw notServed(packageName);

    if (
      !licence.packages.has(packageName) &&
      !published.platform &&
      !(await goesWith(packageName, published, licence))
    ) {
      if (request.method === 'GET') {
        // Versions that do not exist are left out: whoever makes them up makes no reports by it.
        const asked = version ?? published.latest;
        const refused = asked !== undefined && published.versions.has(asked) ? asked : undefined;
        await kept(downloads.refused(licence, packageName, refused));
      }
      throw notEntitled(packageName, published.tier, licence.tier);
    }
    if (target.kind === 'tarball' && request.method === 'GET') {
      await kept(downloads.serving(licence, packageName, target.version, response));
    }
    return { caller, packageName };
  }

  /** A library with native parts is served to whoever holds a package that lists it, and to nobody else. */
  async function goesWith(packageName: string, { native }: PublishedPackage, licence: Licence): Promise<boolean> {
    if (!native) return false;
    const held = await Promise.all([...licence.packages].map((name) => catalogue.find(name)));
    return held.some((each) => each?.optional.has(packageName));
  }

  /** A download that cannot be recorded is not served: the disk is full or gone. */
  async function kept(report: Promise<void>): Promise<void> {
    await report.catch((error: unknown) => {
      log('error', 'a download report could not be written', { reason: String(error) });
      throw reportNotKept();
    });
  }

  return { identify, admit };
}

/** Runs a step of the gate for a request; what it throws becomes the answer, and nothing else happens. */
export async function orRefusal<Result>(step: Promise<Result>, log: Log): Promise<Result | Refusal> {
  try {
    return await step;
  } catch (error) {
    if (error instanceof Refusal) return error;
    log('error', 'the gate failed', { reason: (error as Error).stack });
    return new Refusal(500, 'internal_error', 'The registry failed to check this request');
  }
}

/** Compares in constant time, whatever the lengths. */
function isSameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
