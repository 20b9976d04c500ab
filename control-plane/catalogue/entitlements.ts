/**
 * Which packages a tier entitles to (contract, ActivationResult: "dependency-closed entitled package set").
 */
import { packageName, type Tier, tiers } from '@carton/runtime/service';
import { type Catalogue, catalogue } from './catalogue.ts';

/** What every box needs besides the packages it sells with: the engine, and its database for each platform. */
export const platformPackages = ['runtime', 'postgresql-linux-x64', 'postgresql-linux-arm64'].map(packageName);

/**
 * Full names of all packages of a tier and the tiers below, of all that these depend on, and of the platform; sorted.
 * @throws Error when a package depends on one that the catalogue lacks
 */
export function packagesOfTier({ packages }: Catalogue, tier: Tier): string[] {
  const byName = new Map(packages.map((entry) => [entry.name, entry]));
  const entitled = new Set<string>();
  const add = (name: string) => {
    if (entitled.has(name)) return;
    const entry = byName.get(name);
    if (!entry) throw new Error(`${name} is needed by a package and is not in the catalogue`);
    entitled.add(name);
    entry.dependencies.forEach(add);
  };
  for (const entry of packages) if (tiers.indexOf(entry.tier) <= tiers.indexOf(tier)) add(entry.name);
  return [...entitled, ...platformPackages].sort();
}

const ofTier = new Map(tiers.map((tier) => [tier, packagesOfTier(catalogue, tier)]));

/** The packages a licence of this tier entitles to. */
export function entitledPackages(tier: Tier): string[] {
  return [...(ofTier.get(tier) ?? [])];
}
