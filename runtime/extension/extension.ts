/**
 * Extension points: objects that a package exports and to which other packages contribute in `definePackage`.
 * Contributions belong to a box, not to the process, so that two boxes in one process are independent.
 */

/** A contribution to an extension point, for `definePackage`. */
export interface Contribution {
  readonly point: ExtensionPoint<unknown>;
  readonly value: unknown;
}

/** An object with the contributions of its box. A database handle is one, so services need nothing else. */
export interface HasExtensions {
  readonly extensions: Extensions;
}

export type Extensions = ReadonlyMap<ExtensionPoint<unknown>, readonly unknown[]>;

export interface ExtensionPoint<T> {
  readonly name: string;
  /** Contributes a value: `extends: [cartTotals.with(taxStep)]`. */
  with(value: T): Contribution;
  /** The contributions in this box, in the order of the packages' dependencies. */
  of(box: HasExtensions): readonly T[];
}

/**
 * Creates an extension point.
 * @example export const cartTotals = extensionPoint<TotalsStep>('cart.totals');
 */
export function extensionPoint<T>(name: string): ExtensionPoint<T> {
  const point: ExtensionPoint<T> = {
    name,
    with: (value) => ({ point: point as ExtensionPoint<unknown>, value }),
    of: (box) => (box.extensions.get(point as ExtensionPoint<unknown>) ?? []) as readonly T[],
  };
  return point;
}

/** Groups contributions by extension point, in their order. @param earlier contributions that precede them */
export function gatherExtensions(contributions: readonly Contribution[], earlier: Extensions = new Map()): Extensions {
  const gathered = new Map(earlier);
  for (const { point, value } of contributions) gathered.set(point, [...(gathered.get(point) ?? []), value]);
  return gathered;
}

/** Caches a value derived from a box's contributions, such as a schema: schemas are compiled once for each object. */
export function onceForBox<T extends object>(create: (box: HasExtensions) => T): (box: HasExtensions) => T {
  const cache = new WeakMap<Extensions, T>();
  return (box) => {
    let value = cache.get(box.extensions);
    if (value === undefined) {
      value = create(box);
      cache.set(box.extensions, value);
    }
    return value;
  };
}
