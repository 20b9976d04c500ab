// A stub of the control plane, as far as a registry calls it, and activation tokens signed with real keys.

import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import type { Test } from 'tap';
import type { DownloadReport } from '../index.ts';

export const registrySecret = 'registry-secret-of-the-tests';

export type SigningKey = { kid: string; privateKey: KeyObject; publicKey: KeyObject };

/** A new RSA key with a random id. */
export function generateKey(): SigningKey {
  return { kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

type Received = { report: DownloadReport; headers: IncomingHttpHeaders; downloadedAt?: string };

/**
 * Starts a stub of the endpoints that the registry calls. `reportStatus` is the status of responses to reports;
 * `takesBatches` is false for an earlier control plane; `rejects` chooses reports of a batch that are rejected;
 * `answers` is false for one that stores reports and dies before it answers.
 */
export async function startControlPlaneStub(t: Test, keys: SigningKey[], port = 0) {
  const state = {
    keys,
    received: [] as Received[],
    /** Requests with reports. */
    requests: 0,
    keyFetches: 0,
    reportStatus: 202,
    /** Headers of responses to reports. */
    reportHeaders: {} as Record<string, string>,
    withdrawals: [] as object[],
    takesBatches: true,
    /** Sizes of the batches that were sent. */
    batches: [] as number[],
    rejects: (_: DownloadReport): boolean => false,
    answers: true,
  };
  type Item = { idempotencyKey: string; downloadedAt: string; report: DownloadReport };

  /** Returns the response to a batch. */
  function receiveBatch({ reports }: { reports: Item[] }, headers: IncomingHttpHeaders): object {
    state.batches.push(reports.length);
    const outcomes = reports.map(({ idempotencyKey, downloadedAt, report }) => {
      if (state.rejects(report)) return { idempotencyKey, outcome: 'rejected', detail: 'data/version is invalid' };
      const isRepeated = state.received.some((other) => other.headers['idempotency-key'] === idempotencyKey);
      const received = { report, downloadedAt, headers: { ...headers, 'idempotency-key': idempotencyKey } };
      if (!isRepeated) state.received.push(received);
      return { idempotencyKey, outcome: isRepeated ? 'repeated' : 'stored', detail: null };
    });
    return { outcomes };
  }

  const server = createServer(async (request, response) => {
    if (request.url === '/.well-known/jwks.json') {
      state.keyFetches += 1;
      const published = state.keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid }));
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ keys: published }));
      return;
    }
    if (request.url === '/license/withdrawals') {
      const isRegistry = request.headers.authorization === `Bearer ${registrySecret}`;
      response.writeHead(isRegistry ? 200 : 401).end(JSON.stringify({ items: state.withdrawals }));
      return;
    }
    state.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const isBatch = request.url === '/telemetry/downloads/batch';
    const status = isBatch && !state.takesBatches ? 404 : state.reportStatus;
    let answer: object = { accepted: true };
    if (status === 202) {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      if (isBatch) answer = receiveBatch(body, request.headers);
      else state.received.push({ report: body, headers: request.headers });
    }
    if (!state.answers) return void request.socket.destroy();
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...state.reportHeaders })
      .end(JSON.stringify(answer));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  t.teardown(stop);
  return { state, url, port: Number(new URL(url).port), stop };
}

export type ControlPlaneStub = Awaited<ReturnType<typeof startControlPlaneStub>>;

export type TokenClaims = {
  packages?: string[];
  tier?: string;
  sub?: string;
  license?: string;
  aud?: string;
  iss?: string;
  exp?: number;
};

/** Signs an activation token as the control plane does; `exp` is in seconds since the epoch. */
export function signToken(key: SigningKey, audience: string, claims: TokenClaims = {}): Promise<string> {
  const { packages = ['@carton/cart'], tier = 'basic', sub = 'customer-1', aud = audience, iss, license } = claims;
  return new SignJWT({ tier, packages, ...(license && { license }) })
    .setProtectedHeader({ alg: 'RS256', kid: key.kid, typ: 'JWT' })
    .setIssuer(iss ?? 'carton-control-plane')
    .setSubject(sub)
    .setAudience(aud)
    .setIssuedAt()
    .setExpirationTime(claims.exp ?? Math.floor(Date.now() / 1000) + 600)
    .setJti(randomUUID())
    .sign(key.privateKey);
}
