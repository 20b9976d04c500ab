/**
 * Which packages of a release a tier entitles to (contract, ActivationResult: "dependency-closed entitled package set").
 */
import { type Tier, tiers } from '@carton/runtime/service';
import type { ReleasedPackage } from './schemas.ts';

/**
 * Full names of the products of a tier and the tiers below, of the products that these need, and of the platform;
 * sorted. Native libraries are not named: the registry serves them to whoever holds a package that needs them.
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
