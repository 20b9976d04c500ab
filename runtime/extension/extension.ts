/**
 * Extension points: an object its owner exports, to which other packages contribute in their definePackage.
 * What was contributed belongs to a box, not to the process, so two boxes in one process do not mix.
 */

/** A contribution as it stands in definePackage. */
export interface Contribution {
  readonly point: ExtensionPoint<unknown>;
  readonly value: unknown;
}

/** Whatever carries the contributions of its box: a database handle does, so services need nothing else. */
export interface HasExtensions {
  readonly extensions: Extensions;
}

export type Extensions = ReadonlyMap<ExtensionPoint<unknown>, readonly unknown[]>;

export interface ExtensionPoint<T> {
  readonly name: string;
  /** Contributes a value: `extends: [cartTotals.with(taxStep)]`. */
  with(value: T): Contribution;
  /** What was contributed in this box, in dependency order of the packages. */
  of(box: HasExtensions): readonly T[];
}

/**
 * Makes an extension point.
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

/** Gathers contributions by their point, keeping the order in which they are given. */
export function gatherExtensions(contributions: readonly Contribution[]): Extensions {
  const gathered = new Map<ExtensionPoint<unknown>, unknown[]>();
  for (const { point, value } of contributions) gathered.set(point, [...(gathered.get(point) ?? []), value]);
  return gathered;
}

/** What is made of a box's contributions, made once for each box: schemas are told apart, and compiled, by identity. */
export function onceForBox<T extends object>(make: (box: HasExtensions) => T): (box: HasExtensions) => T {
  const made = new WeakMap<Extensions, T>();
  return (box) => {
    let value = made.get(box.extensions);
    if (value === undefined) {
      value = make(box);
      made.set(box.extensions, value);
    }
    return value;
  };
}
