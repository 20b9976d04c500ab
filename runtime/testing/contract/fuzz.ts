/**
 * Requests that nobody thought of: valid ones, valid ones with something hostile in one place, bodies that no writer
 * of JSON makes. Whatever comes, the answer is one that the route declares.
 */
import fc from 'fast-check';
import type { RouteDeclaration } from '../../http/route.ts';
import { type Ask, type Examiner, inParallel, paramsOf } from './examiner.ts';
import { hostileBodies, hostileHeaders, hostileTexts, hostileValues } from './hostile.ts';
import { askOf, seedFor } from './requests.ts';

/** @param runs requests a route, at most; a failure is asked again in smaller forms */
export async function fuzz(examiner: Examiner, runs: number): Promise<void> {
  await inParallel(examiner.target.declarations, async (declaration) => {
    const [side] = examiner.target.sides;
    const [kind] = examiner.kindsFor(side, declaration);
    if (kind === undefined) return examiner.report.leaveUnproven(declaration, 'there is no caller who may use it');
    const seed = seedFor(examiner.report.seed, 'fuzz', declaration.operationId);
    const property = fc.asyncProperty(requests(examiner, declaration, kind), async (ask) => {
      const { broken } = await examiner.hear('fuzz', side, declaration, { kind }, ask);
      if (broken.length > 0) throw new BrokenPromises(broken);
    });
    const found = await fc.check(property, {
      seed,
      numRuns: runs,
      endOnFailure: false,
      interruptAfterTimeLimit: 60_000,
    });
    const { errorInstance, counterexample } = found;
    if (!(errorInstance instanceof BrokenPromises)) {
      if (errorInstance) throw errorInstance;
      return;
    }
    const request = shorten(JSON.stringify(counterexample?.[0]));
    for (const { promise, was } of errorInstance.broken) {
      examiner.report.fail(declaration, `${promise} (fuzzed)`, `${was} to ${request}`);
    }
  });
  if ('polluted' in {})
    examiner.report.fail('any route', 'no request may change the prototype of all objects', 'changed');
}

class BrokenPromises extends Error {
  readonly broken: readonly { promise: string; was: string }[];

  constructor(broken: readonly { promise: string; was: string }[]) {
    super('promises are broken');
    this.broken = broken;
  }
}

function requests(examiner: Examiner, declaration: RouteDeclaration, kind: string | null): fc.Arbitrary<Ask> {
  const [side, other] = examiner.target.sides;
  const { unmarked } = examiner;
  const own = askOf(declaration, { pool: examiner.pool(side, kind), marker: side.marker, unmarked });
  const foreign = askOf(declaration, { pool: examiner.pool(other, kind).ids(), unmarked });
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

function withHeaders(asks: fc.Arbitrary<Ask>): fc.Arbitrary<Ask> {
  return fc.tuple(asks, hostileHeaders).map(([ask, headers]) => ({ ...ask, headers }));
}

/** Something hostile in the place of one value, or of the whole. */
function brokenIn(asks: fc.Arbitrary<Ask>, part: 'body' | 'query'): fc.Arbitrary<Ask> {
  return fc.tuple(asks, fc.nat({ max: 999 }), hostileValues).map(([ask, place, hostile]) => ({
    ...ask,
    [part]: replaced(ask[part], place, part === 'body' ? hostile : short(hostile)),
  }));
}

function withRawBody(asks: fc.Arbitrary<Ask>): fc.Arbitrary<Ask> {
  return fc.tuple(asks, fc.nat({ max: 999 }), fc.boolean()).map(([{ body, ...ask }, place, chunked]) => {
    return { ...ask, raw: hostileBodies[place % hostileBodies.length]?.(body), chunked };
  });
}

function withHostileParams(asks: fc.Arbitrary<Ask>): fc.Arbitrary<Ask> {
  const texts = hostileTexts.filter((text) => text !== '').map(short);
  return fc.tuple(asks, fc.nat({ max: 9 }), fc.constantFrom(...texts)).map(([ask, place, hostile]) => {
    const names = Object.keys(ask.params ?? {});
    return { ...ask, params: { ...ask.params, [names[place % names.length] as string]: hostile } };
  });
}

/** So that a path stays below what a server reads of one. */
function short<Value>(value: Value): Value {
  return typeof value === 'string' ? (value.slice(0, 2000) as Value) : value;
}

/** A copy in which one of its values, the place says which, is another. */
function replaced(value: unknown, place: number, other: unknown): unknown {
  if (value === null || typeof value !== 'object') return other;
  const keys = Object.keys(value);
  // One place more than there are: the whole.
  const at = place % (keys.length + 1);
  const key = keys[at];
  if (key === undefined) return Array.isArray(value) ? [...value, other] : { ...value, unknown: other };
  const rest = Math.floor(place / (keys.length + 1));
  const child = replaced((value as Record<string, unknown>)[key], rest, other);
  return Array.isArray(value) ? value.with(at, child) : { ...value, [key]: child };
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
