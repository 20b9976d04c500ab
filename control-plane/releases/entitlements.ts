/**
 * The packages of a release to which a tier entitles (contract, ActivationResult: "dependency-closed entitled package
 * set"), and why.
 */
import { type Tier, tiers } from '@carton/runtime/service';
import type { Entitlement, ReleasedPackage } from './schemas.ts';

/**
 * Returns the products of a tier and the tiers below, the products they depend on, and the platform packages, sorted by
 * name, each with its reason. Native libraries are not listed: the registry serves them to licences with a package that
 * depends on them.
 */
export function explainEntitlements(packages: readonly ReleasedPackage[], tier: Tier): Entitlement[] {
  const products = new Map(packages.filter(({ kind }) => kind === 'product').map((entry) => [entry.name, entry]));
  const entitled = new Map<string, Entitlement>();
  for (const { name, kind } of packages) {
    if (kind === 'platform') entitled.set(name, { name, by: 'platform', tier: null, neededBy: [] });
  }
  const add = ({ name, tier: own, dependencies }: ReleasedPackage) => {
    if (entitled.has(name)) return;
    const isIncluded = own !== null && tiers.indexOf(own) <= tiers.indexOf(tier);
    entitled.set(name, { name, by: isIncluded ? 'tier' : 'dependency', tier: own, neededBy: [] });
    for (const dependency of dependencies) {
      const needed = products.get(dependency.name);
      if (!needed) continue;
      add(needed);
      entitled.get(needed.name)?.neededBy.push(name);
    }
  };
  for (const entry of products.values()) {
    if (entry.tier !== null && tiers.indexOf(entry.tier) <= tiers.indexOf(tier)) add(entry);
  }
  for (const { neededBy } of entitled.values()) neededBy.sort();
  return [...entitled.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the sorted full names of the packages. */
export function entitledPackages(packages: readonly ReleasedPackage[], tier: Tier): string[] {
  return explainEntitlements(packages, tier).map(({ name }) => name);
}
