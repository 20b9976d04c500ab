/**
 * The packages of a tier in the source tree.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Tier, tiers } from '../box/tier.ts';
import { vendor } from '../vendor.ts';

/** A file at the root of the source tree, beside the node_modules with the packages. */
export const sourceRoot = fileURLToPath(new URL('../../package.json', import.meta.url));

/** Full names of the packages of a tier, including those of lower tiers. */
export function packagesOfTier(tier: Tier): string[] {
  const folder = new URL('../../vendor/', import.meta.url);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => JSON.parse(readFileSync(new URL(`${entry.name}/package.json`, folder), 'utf8')))
    .filter((manifest) => tiers.indexOf(manifest[vendor.name]?.tier) <= tiers.indexOf(tier))
    .map((manifest) => manifest.name as string);
}
