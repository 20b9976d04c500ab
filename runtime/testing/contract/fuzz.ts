/**
 * Fuzzing: valid requests, requests with one hostile value, malformed bodies. Every response must be one that the route
 * declares.
 */
import fc from 'fast-check';
import type { RouteDeclaration } from '../../http/route.ts';
import { type ContractClient, inParallel, paramsOf, type RequestValues } from './client.ts';
import { hostileBodies, hostileHeaders, hostileTexts, hostileValues } from './hostile.ts';
import { requestsFor, seedFor } from './requests.ts';
import { showRequest } from './shown-request.ts';

/** @param runs maximum number of requests for each route; a failing one is shrunk */
export async function fuzz(client: ContractClient, runs: number): Promise<void> {
  await inParallel(client.checked, async (declaration) => {
    const [side] = client.target.sides;
    const [kind] = client.kindsFor(side, declaration);
    if (kind === undefined) return client.report.reportUntested(declaration, 'there is no caller that may use it');
    const seed = seedFor(client.report.seed, 'fuzz', declaration.operationId);
    const property = fc.asyncProperty(requests(client, declaration, kind), async (request) => {
      const { deviations } = await client.requestUnreported('fuzz', side, declaration, { kind }, request);
      if (deviations.length > 0) throw new DeviationError(deviations);
    });
    const found = await fc.check(property, {
      seed,
      numRuns: runs,
      endOnFailure: false,
      interruptAfterTimeLimit: 60_000,
    });
    const { errorInstance, counterexample } = found;
    if (!(errorInstance instanceof DeviationError)) {
      if (errorInstance) throw errorInstance;
      return;
    }
    const request = showRequest(counterexample?.[0], declaration.operationId);
    for (const { requirement, actual } of errorInstance.deviations) {
      client.report.fail(declaration, `${requirement} (fuzzed)`, `${actual} to ${request}`);
    }
  });
  if ('polluted' in {})
    client.report.fail('any route', 'no request may change the prototype of all objects', 'changed');
}

class DeviationError extends Error {
  readonly deviations: readonly { requirement: string; actual: string }[];

  constructor(deviations: readonly { requirement: string; actual: string }[]) {
    super('the response deviates from the declaration');
    this.deviations = deviations;
  }
}

function requests(
  client: ContractClient,
  declaration: RouteDeclaration,
  kind: string | null,
): fc.Arbitrary<RequestValues> {
  const [side, other] = client.target.sides;
  const { unmarked } = client;
  const own = requestsFor(declaration, {
    pool: client.pool(side, kind),
    marker: client.markerOf(side, declaration),
    unmarked,
  });
  const foreign = requestsFor(declaration, { pool: client.pool(other, kind).ids(), unmarked });
  const { body, query, upload } = declaration;
  return fc.oneof(
    { weight: 4, arbitrary: own },
    { weight: 1, arbitrary: foreign },
    { weight: 2, arbitrary: withHeaders(own) },
    ...(body || upload
      ? [
          { weight: 6, arbitrary: brokenIn(own, 'body') },
          { weight: 4, arbitrary: withRawBody(own) },
        ]
      : []),
    ...(query ? [{ weight: 4, arbitrary: brokenIn(own, 'query') }] : []),
    ...(paramsOf(declaration) ? [{ weight: 3, arbitrary: withHostileParams(own) }] : []),
  );
}

function withHeaders(requests: fc.Arbitrary<RequestValues>): fc.Arbitrary<RequestValues> {
  return fc.tuple(requests, hostileHeaders).map(([request, headers]) => ({ ...request, headers }));
}

/** A hostile value in place of one value, or of all. */
function brokenIn(requests: fc.Arbitrary<RequestValues>, part: 'body' | 'query'): fc.Arbitrary<RequestValues> {
  return fc.tuple(requests, fc.nat({ max: 999 }), hostileValues).map(([request, place, hostile]) => ({
    ...request,
    [part]: replaced(request[part], place, part === 'body' ? hostile : short(hostile)),
  }));
}

function withRawBody(requests: fc.Arbitrary<RequestValues>): fc.Arbitrary<RequestValues> {
  return fc.tuple(requests, fc.nat({ max: 999 }), fc.boolean()).map(([{ body, ...request }, place, chunked]) => {
    return { ...request, raw: hostileBodies[place % hostileBodies.length]?.(body), chunked };
  });
}

function withHostileParams(requests: fc.Arbitrary<RequestValues>): fc.Arbitrary<RequestValues> {
  const texts = hostileTexts.filter((text) => text !== '').map(short);
  return fc.tuple(requests, fc.nat({ max: 9 }), fc.constantFrom(...texts)).map(([request, place, hostile]) => {
    const names = Object.keys(request.params ?? {});
    return { ...request, params: { ...request.params, [names[place % names.length] as string]: hostile } };
  });
}

/** Keeps a path below the server's limit. */
function short<Value>(value: Value): Value {
  return typeof value === 'string' ? (value.slice(0, 2000) as Value) : value;
}

/** A copy with one of its values replaced. @param place selects the value */
function replaced(value: unknown, place: number, other: unknown): unknown {
  if (value === null || typeof value !== 'object') return other;
  const keys = Object.keys(value);
  // One position more than there are keys: adds a member.
  const at = place % (keys.length + 1);
  const key = keys[at];
  if (key === undefined) return Array.isArray(value) ? [...value, other] : { ...value, unknown: other };
  const rest = Math.floor(place / (keys.length + 1));
  const child = replaced((value as Record<string, unknown>)[key], rest, other);
  return Array.isArray(value) ? value.with(at, child) : { ...value, [key]: child };
}
