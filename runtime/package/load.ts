/**
 * Loads the entitled packages from disk, in dependency order.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Tier } from '../box/tier.ts';
import { shortName, vendor } from '../vendor.ts';
import { isPackageDefinition, type PackageDefinition } from './define.ts';

/** A loaded package. */
export interface LoadedPackage extends PackageDefinition {
  /** Full npm name. */
  readonly fullName: string;
  /** The name without its scope, used in permissions. */
  readonly name: string;
  readonly version: string;
  /** One line from its package.json. */
  readonly description: string;
  readonly tier: Tier;
  /** Full names of the vendor's packages that it depends on, without the engine. */
  readonly dependencies: readonly string[];
  /** The package's folder, which contains `migrations/`. */
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

/** The vendor's section of a manifest, under the vendor's name. */
function vendorSection(manifest: Manifest): { tier?: Tier } {
  return (manifest as unknown as Record<string, { tier?: Tier }>)[vendor.name] ?? {};
}

/**
 * Loads packages, each after its dependencies.
 * @param names full npm names; packages without a tier (the engine, the embedded PostgreSQL) are skipped
 * @param from a file from which the packages are resolved
 * @throws Error naming the package that is missing, not a package, or part of a cycle
 */
export async function loadPackages(names: readonly string[], from: string): Promise<LoadedPackage[]> {
  const resolver = createRequire(from);
  const installed = await Promise.all(names.map((name) => readManifest(resolver, name)));
  const withTier = installed.filter(({ manifest }) => vendorSection(manifest).tier !== undefined);
  const loaded: LoadedPackage[] = [];
  for (const { manifest, folder } of inDependencyOrder(withTier)) {
    const module = await import(pathToFileURL(resolver.resolve(manifest.name)).href);
    if (!isPackageDefinition(module.default)) throw new Error(`${manifest.name} does not export a definePackage(...)`);
    loaded.push({
      ...module.default,
      fullName: manifest.name,
      name: shortName(manifest.name),
      version: manifest.version,
      description: manifest.description ?? '',
      tier: vendorSection(manifest).tier as Tier,
      dependencies: dependenciesOf(manifest),
      folder,
    });
  }
  return loaded;
}

interface InstalledPackage {
  manifest: Manifest;
  folder: string;
}

async function readManifest(resolver: NodeJS.Require, name: string): Promise<InstalledPackage> {
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

function inDependencyOrder(packages: readonly InstalledPackage[]): InstalledPackage[] {
  const byName = new Map(packages.map((each) => [each.manifest.name, each]));
  const ordered = new Set<InstalledPackage>();
  const visit = (visited: InstalledPackage, path: readonly string[]) => {
    const { name } = visited.manifest;
    if (path.includes(name)) throw new Error(`circular dependency of packages: ${[...path, name].join(' → ')}`);
    if (ordered.has(visited)) return;
    for (const dependency of dependenciesOf(visited.manifest).sort()) {
      const required = byName.get(dependency);
      if (!required) throw new Error(`${name} requires ${dependency}, which is not installed or not entitled`);
      visit(required, [...path, name]);
    }
    ordered.add(visited);
  };
  for (const each of [...packages].sort((a, b) => a.manifest.name.localeCompare(b.manifest.name))) visit(each, []);
  return [...ordered];
}
