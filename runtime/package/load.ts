/**
 * Finding the entitled packages on disk and putting them in dependency order.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tier } from '../box/tier.ts';
import { shortName, vendor } from '../vendor.ts';
import { isPackageDefinition, type PackageDefinition } from './define.ts';

/** A package as loaded. */
export interface LoadedPackage extends PackageDefinition {
  /** Full npm name. */
  readonly fullName: string;
  /** The name without its scope: the word used in permissions and tags. */
  readonly name: string;
  readonly version: string;
  /** What it sells, in a line. */
  readonly description: string;
  readonly tier: Tier;
  /** Full names of the packages of this vendor that it needs, the engine left out. */
  readonly dependencies: readonly string[];
  /** The package's folder; its migrations stand in `migrations/` below it. */
  readonly folder: string;
}

interface Manifest {
  name: string;
  version: string;
  description?: string;
  dependencies?: Record<string, string>;
  carton?: { tier?: Tier };
}

const engineName = `${vendor.scope}/runtime`;

/** The vendor's part of a manifest: the tier stands under the vendor's name. */
function vendorPart(manifest: Manifest): { tier?: Tier } {
  return (manifest as unknown as Record<string, { tier?: Tier }>)[vendor.name] ?? {};
}

/**
 * Loads packages, each after those it depends on.
 * @param names full npm names; what has no tier (the engine itself, the embedded PostgreSQL) is passed over
 * @param from a file beside whose node_modules the packages stand
 * @throws Error naming the package that is missing, not a package, or part of a cycle
 */
export async function loadPackages(names: readonly string[], from: string): Promise<LoadedPackage[]> {
  const resolver = createRequire(from);
  const found = await Promise.all(names.map((name) => readManifest(resolver, name)));
  const sellable = found.filter(({ manifest }) => vendorPart(manifest).tier !== undefined);
  const loaded: LoadedPackage[] = [];
  for (const { manifest, folder } of inDependencyOrder(sellable)) {
    const module = await import(pathToFileURL(resolver.resolve(manifest.name)).href);
    if (!isPackageDefinition(module.default)) throw new Error(`${manifest.name} does not export a definePackage(...)`);
    loaded.push({
      ...module.default,
      fullName: manifest.name,
      name: shortName(manifest.name),
      version: manifest.version,
      description: manifest.description ?? '',
      tier: vendorPart(manifest).tier as Tier,
      dependencies: dependenciesOf(manifest),
      folder,
    });
  }
  return loaded;
}

interface Found {
  manifest: Manifest;
  folder: string;
}

async function readManifest(resolver: NodeJS.Require, name: string): Promise<Found> {
  let path: string;
  try {
    path = resolver.resolve(`${name}/package.json`);
  } catch {
    throw new Error(`package ${name} is entitled but not installed: run the installer again`);
  }
  return { manifest: JSON.parse(await readFile(path, 'utf8')), folder: dirname(path) };
}

function dependenciesOf(manifest: Manifest): string[] {
  return Object.keys(manifest.dependencies ?? {}).filter(
    (name) => name.startsWith(`${vendor.scope}/`) && name !== engineName,
  );
}

function inDependencyOrder(packages: readonly Found[]): Found[] {
  const byName = new Map(packages.map((found) => [found.manifest.name, found]));
  const ordered = new Set<Found>();
  const visit = (found: Found, path: readonly string[]) => {
    const { name } = found.manifest;
    if (path.includes(name))
      throw new Error(`packages depend on each other in a circle: ${[...path, name].join(' → ')}`);
    if (ordered.has(found)) return;
    for (const dependency of dependenciesOf(found.manifest).sort()) {
      const needed = byName.get(dependency);
      if (!needed) throw new Error(`${name} needs ${dependency}, which this box is not entitled to or lacks`);
      visit(needed, [...path, name]);
    }
    ordered.add(found);
  };
  for (const found of [...packages].sort((a, b) => a.manifest.name.localeCompare(b.manifest.name))) visit(found, []);
  return [...ordered];
}
