// The sources of the packages: the runtime and the folders of the vendor.

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tier } from '../../runtime/box/tier.ts';

/** The export condition with which development resolves a package to its TypeScript. */
export const sourceCondition = 'workspace-source';

/** The checkout that contains this file. */
export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type Export = string | { [condition: string]: string };

export type Manifest = {
  name: string;
  version: string;
  private?: boolean;
  description?: string;
  license?: string;
  type?: string;
  exports?: Record<string, Export>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  [key: string]: unknown;
};

/** A package of the checkout. `folder` is absolute; `tier` is null for the runtime, which every licence includes. */
export type Source = { manifest: Manifest; folder: string; tier: Tier | null };

export type Workspace = {
  root: string;
  /** The version of the checkout, which is that of its release. */
  version: string;
  /** npm scope with its `@`, from the runtime's name. */
  scope: string;
  vendor: string;
  runtime: Source | undefined;
  /** The vendor's packages, sorted by name. */
  packages: Source[];
  /** Packages that are not published: a package that uses one has it in its bundle. */
  bundled: BundledSource[];
};

/** `source` is the absolute path of its entry point. */
export type BundledSource = { name: string; folder: string; source: string };

const bundledFolders = ['durable-files'];

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/**
 * Reads the packages of a checkout. Vendor folders without a package.json, or with a private one, are ignored.
 * @throws Error if the runtime has no package.json, or a vendor package has no tier
 */
export async function readWorkspace(root: string): Promise<Workspace> {
  const { version } = await readManifest(root);
  const runtimeManifest = await readManifest(join(root, 'runtime'));
  const scope = runtimeManifest.name.slice(0, runtimeManifest.name.indexOf('/'));
  const vendor = scope.slice(1);
  const packages: Source[] = [];
  const folders = existsSync(join(root, 'vendor')) ? (await readdir(join(root, 'vendor'))).sort() : [];
  for (const name of folders) {
    const folder = join(root, 'vendor', name);
    if (!existsSync(join(folder, 'package.json'))) continue;
    const manifest = await readManifest(folder);
    if (manifest.private) continue;
    const tier = (manifest[vendor] as { tier?: Tier } | undefined)?.tier;
    if (tier === undefined)
      throw new Error(`${manifest.name} has no tier: add "${vendor}": { "tier": … } to its package.json`);
    packages.push({ manifest, folder, tier });
  }
  return {
    root,
    version,
    scope,
    vendor,
    runtime: { manifest: runtimeManifest, folder: join(root, 'runtime'), tier: null },
    packages,
    bundled: await readBundled(root),
  };
}

async function readBundled(root: string): Promise<BundledSource[]> {
  const folders = bundledFolders.map((name) => join(root, name)).filter((folder) => existsSync(folder));
  return Promise.all(
    folders.map(async (folder) => {
      const { name, exports = {} } = await readManifest(folder);
      return { name, folder, source: join(folder, exports['.'] as string) };
    }),
  );
}

export type EntryPoint = { subpath: string; name: string; source: string };

/** The entry points to build: exports with a source and a `default`. `name` is the path in `dist` without extension. */
export function entryPoints({ manifest, folder }: Source): EntryPoint[] {
  const entries: EntryPoint[] = [];
  for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === 'string') continue;
    const { [sourceCondition]: source, default: built } = target;
    if (source === undefined || built === undefined) continue;
    const name = /^\.\/dist\/(.+)\.js$/.exec(built)?.[1];
    if (name === undefined) throw new Error(`${manifest.name} exports ${subpath} to ${built}, which is not in ./dist`);
    if (!existsSync(join(folder, source))) throw new Error(`${manifest.name} has no ${source} yet`);
    entries.push({ subpath, name, source: join(folder, source) });
  }
  if (entries.length === 0) throw new Error(`${manifest.name} exports nothing that can be built`);
  return entries;
}

/** The vendor's published packages that a package depends on, with their ranges. */
export function ownDependencies(manifest: Manifest, { scope, bundled }: Workspace): Record<string, string> {
  const all = Object.entries(manifest.dependencies ?? {});
  const isBundled = (name: string) => bundled.some((source) => source.name === name);
  return Object.fromEntries(all.filter(([name]) => name.startsWith(`${scope}/`) && !isBundled(name)).sort());
}
