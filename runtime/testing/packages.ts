/**
 * The packages of a tier in the source tree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Tier, tiers } from '../box/tier.ts';
import { vendor } from '../vendor.ts';

/** A file at the root of the source tree, beside the node_modules with the packages. */
export const sourceRoot = fileURLToPath(new URL('../../package.json', import.meta.url));

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  tier?: Tier;
}

function readManifests(): Manifest[] {
  const folder = new URL('../../vendor/', import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => JSON.parse(readFileSync(new URL(`${entry.name}/package.json`, folder), 'utf8')))
    .map(({ name, dependencies, [vendor.name]: own }) => ({ name, dependencies, tier: own?.tier }));
}

/** Full names of the packages of a tier, including those of lower tiers. */
export function packagesOfTier(tier: Tier): string[] {
  return readManifests()
    .filter((manifest) => tiers.indexOf(manifest.tier as Tier) <= tiers.indexOf(tier))
    .map(({ name }) => name);
}

/** The packages with those of the source tree on which they depend, directly or not. */
export function withDependencies(names: readonly string[]): string[] {
  const manifests = new Map(readManifests().map((manifest) => [manifest.name, manifest]));
  const found = new Set(names);
  // A set also iterates over what is added meanwhile.
  for (const name of found) {
    for (const needed of Object.keys(manifests.get(name)?.dependencies ?? {})) {
      if (manifests.has(needed)) found.add(needed);
    }
  }
  return [...found];
}
