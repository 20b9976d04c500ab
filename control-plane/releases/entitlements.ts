/**
 * The packages of a release to which a tier entitles (contract, ActivationResult: "dependency-closed entitled package
 * set").
 */
import { type Tier, tiers } from '@carton/runtime/service';
import type { ReleasedPackage } from './schemas.ts';

/**
 * Returns the sorted full names of the products of a tier and the tiers below, of the products they depend on, and of
 * the platform packages. Native libraries are not listed: the registry serves them to licences with a package that
 * depends on them.
 */
export function entitledPackages(packages: readonly ReleasedPackage[], tier: Tier): string[] {
  const products = new Map(packages.filter(({ kind }) => kind === 'product').map((entry) => [entry.name, entry]));
  const entitled = new Set(packages.filter(({ kind }) => kind === 'platform').map(({ name }) => name));
  const add = (entry: ReleasedPackage | undefined) => {
    if (!entry || entitled.has(entry.name)) return;
    entitled.add(entry.name);
    for (const { name } of entry.dependencies) add(products.get(name));
  };
  for (const entry of products.values()) {
    if (entry.tier !== null && tiers.indexOf(entry.tier) <= tiers.indexOf(tier)) add(entry);
  }
  return [...entitled].sort();
}
