/**
 * Generates valid requests from a declaration.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { RouteDeclaration } from '../../http/route.ts';
import type { TObject, TSchema } from '../../http/schemas.ts';
import { accepts } from './accepts.ts';
import { arbitraryOf, placeInPool, type Source } from './arbitrary.ts';
import { paramsOf, type RequestValues } from './client.ts';
import { isOpenRoute, nounsOfParameter, type Pool } from './pool.ts';

/**
 * An arbitrary for requests that match the declaration.
 * @param ids the pool for ids in the path. Default: the source's
 */
export function requestsFor(
  declaration: RouteDeclaration,
  options: Source,
  ids: Pool = options.pool,
): fc.Arbitrary<RequestValues> {
  const { query, body } = declaration;
  const source = { ...options, isOpen: isOpenRoute(declaration) };
  return fc.record({
    params: paramsArbitrary(declaration, source, ids),
    // No marker in searches: nothing would be found.
    query: query ? queryOf(query, { ...source, marker: undefined }) : fc.constant({}),
    body: body ? bodyOf(declaration, body, source) : fc.constant(undefined),
  }) as fc.Arbitrary<RequestValues>;
}

/** A cursor is valid only for the list that returned it: four of five queries have none. */
function queryOf(query: TSchema, source: Source): fc.Arbitrary<unknown> {
  return fc.tuple(arbitraryOf(query, source), fc.nat({ max: 4 })).map(([values, chance]) => {
    const { cursor: _, ...others } = values as Record<string, unknown>;
    return chance === 0 ? values : others;
  });
}

function bodyOf({ bodyOptional }: RouteDeclaration, body: TSchema, source: Source): fc.Arbitrary<unknown> {
  const values = arbitraryOf(body, source);
  return bodyOptional && !source.complete ? fc.option(values, { nil: undefined, freq: 3 }) : values;
}

function paramsArbitrary(declaration: RouteDeclaration, source: Source, ids: Pool) {
  const schema = paramsOf(declaration) as TObject | undefined;
  const generated = fc.record(
    Object.fromEntries(
      Object.entries(schema?.properties ?? {}).map(([name, child]) => [
        name,
        arbitraryOf(child, { ...source, marker: undefined }),
      ]),
    ),
  );
  // The same position for all parameters: the most frequent values belong together.
  return fc.tuple(generated, placeInPool).map(([values, place]) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const there = ids.pick(nounsOfParameter(declaration.path, name), place, isOpenRoute(declaration));
        const fits = there !== undefined && accepts(schema?.properties[name] as TSchema, there);
        return [name, fits ? there : value];
      }),
    ),
  );
}

/** Draws values; the same seed and pool give the same values. */
export function draw<Value>(values: fc.Arbitrary<Value>, seed: number, count: number): Value[] {
  return fc.sample(fc.noBias(values), { seed, numRuns: count });
}

/** A seed for one part of a run, so that the parts are independent of each other. */
export function seedFor(seed: number, ...parts: readonly (string | number)[]): number {
  return createHash('sha256')
    .update([seed, ...parts].join(' '))
    .digest()
    .readInt32BE();
}
