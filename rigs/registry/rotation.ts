/**
 * Signing keys are rotated while customers pull with old and new tokens, and while tokens with unknown keys flood the
 * registry: no token is refused wrongly, and the keys are fetched at most every 30 seconds.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT } from 'jose';
import { rounded } from '../../tools/load/measurement.ts';
import type { Findings, Stage } from '../support/rig.ts';
import { activate, openCustomer, type Vendor } from '../support/vendor.ts';
import { closureOf, pull } from './pulls.ts';

/** Milliseconds between two fetches of the keys: control-plane/registry/signing-keys.ts. */
const refetchInterval = 30_000;

export async function rotateUnderLoad(
  stage: Stage,
  vendor: Vendor,
  { rotations }: { rotations: number },
): Promise<Findings> {
  const refused: string[] = [];
  const counts = { rotations, pulled: 0, tokens: 0, forged: 0, keyFetches: 0 };
  const [registry] = vendor.registries;
  const first = await openCustomer(vendor, 'rotation');
  const [smallest] = (await closureOf(registry, first)).slice(-1);
  const { tarball } = smallest as { tarball: string };
  let isOver = false;
  const follow = async (renews: boolean) => {
    let { token } = first;
    while (!isOver) {
      if (renews) {
        ({ token } = await activate(vendor, first.key));
        counts.tokens += 1;
      }
      const { status, text } = await pull(registry, tarball, token);
      if (status === 200) counts.pulled += 1;
      else refused.push(`${renews ? 'a new' : 'an old'} token: ${status} ${text}`);
      await sleep(20);
    }
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const flood = async () => {
    while (!isOver) {
      const token = await new SignJWT({ tier: 'enterprise', packages: first.packages })
        .setProtectedHeader({ alg: 'RS256', kid: randomUUID(), typ: 'JWT' })
        .setExpirationTime('1h')
        .sign(privateKey);
      const { status } = await pull(registry, tarball, token);
      if (status !== 401 && status !== 429) refused.push(`a forged token: ${status}`);
      counts.forged += 1;
    }
  };
  const before = await keyFetches(vendor);
  const began = performance.now();
  const work = Promise.all([follow(true), follow(true), follow(false), follow(false), flood(), flood()]);
  work.catch(() => {});
  for (let rotation = 0; rotation < rotations; rotation++) {
    // The next key must have been fetched before it signs: see docs/operations.md.
    await sleep(stage.short ? 2000 : refetchInterval + 5000, undefined, { signal: stage.signal });
    const { status } = await vendor.admin.post('/signing-keys/rotate');
    if (status !== 201) throw new Error(`the keys were not rotated: ${status}`);
    stage.say(`rotated the signing keys (${rotation + 1} of ${rotations})`);
  }
  await sleep(2000);
  isOver = true;
  await work;
  counts.keyFetches = (await keyFetches(vendor)) - before;
  const seconds = (performance.now() - began) / 1000;
  const allowed = 2 * (Math.ceil((seconds * 1000) / refetchInterval) + 1);
  const broken = [...new Set(refused)].slice(0, 10);
  if (counts.keyFetches > allowed)
    broken.push(`two registries fetched the keys ${counts.keyFetches} times in ${rounded(seconds, 0)} s`);
  if (!stage.short && counts.keyFetches === 0) throw new Error('the metrics do not count how often keys are fetched');
  return { broken, counts };
}

/** How often the registries have fetched the keys. */
async function keyFetches({ controlPlane, secrets }: Vendor): Promise<number> {
  const headers = { authorization: `Bearer ${secrets.metrics}` };
  const text = await (await fetch(`${controlPlane.url}/metrics`, { headers })).text();
  const lines = text.split('\n').filter((line) => /^\w*http_requests_total\{operation="listSigningKeys"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
