// Builds the packages of a box into npm tarballs. Packages are cached until a source changes.

import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { kindsOfMigrations } from './additive.ts';
import { digestSources, readCache, writeCache } from './build-cache.ts';
import type { BuiltPackage, PackageDependency } from './built-package.ts';
import { bundle, explorerAssets } from './bundle.ts';
import { type Declarations, withDeclarations } from './declarations.ts';
import { thirdPartyLicences } from './licences.ts';
import { type NativeLibrary, nativeDependencies, nativeFiles, nativeLibraries } from './native.ts';
import type { FetchPackage } from './other-platforms.ts';
import {
  findPlatforms,
  type PlatformSource,
  platformDependencies,
  platformFiles,
  platformPrefix,
} from './postgresql.ts';
import {
  entryPoints,
  type Manifest,
  ownDependencies,
  readWorkspace,
  repository,
  type Source,
  type Workspace,
} from './sources.ts';
import { integrityOf, type PackageFiles, packTarball } from './tarball.ts';

export type BuildOptions = {
  /** Folder for the tarballs; created if it is missing. */
  out: string;
  /** Full names of the packages to build; all by default. */
  only?: string[];
  /** The checkout to build; this one by default. */
  root?: string;
  /** Fetches what npm has not installed because it is of another platform; without it, those platforms are left out. */
  fetchPackage?: FetchPackage | undefined;
  /**
   * Whether the registry has a version of a platform package that is not built here: then it is named as well. By default,
   * what is built is named and nothing else.
   */
  isPublished?: (name: string, version: string) => Promise<boolean>;
  /** Called with each line of output. */
  log?: (line: string) => void;
};

/**
 * Builds the packages of a checkout, dependencies first. Builds are reproducible: the same sources give the same bytes.
 * @throws Error that names a package that cannot be bundled, or a name in `only` that does not exist
 */
export async function buildPackages({
  out,
  only,
  root = repository,
  fetchPackage,
  isPublished = async () => false,
  log = () => {},
}: BuildOptions): Promise<BuiltPackage[]> {
  await mkdir(out, { recursive: true });
  const workspace = await readWorkspace(root);
  const arePlatformsRequested = only?.some((name) => name.startsWith(platformPrefix(workspace))) ?? true;
  const platforms = await findPlatforms(workspace, arePlatformsRequested ? fetchPackage : undefined);
  const sources = inDependencyOrder(workspace);
  const isRequested = ({ name }: { name: string }) => only === undefined || only.includes(name);
  const known = new Set([...platforms, ...sources.map(({ manifest }) => manifest)].map(({ name }) => name));
  const missing = (only ?? []).filter((name) => !known.has(name));
  if (missing.length > 0) throw new Error(`There is no package ${missing.join(', ')}`);

  const built: BuiltPackage[] = [];
  for (const platform of platforms.filter(isRequested)) built.push(await buildPlatform(workspace, platform, out));

  const requested = sources.filter(({ manifest }) => isRequested(manifest));
  const libraries = new Map<Source, NativeLibrary[]>();
  for (const source of requested) libraries.set(source, await nativeLibraries(workspace, source, fetchPackage));
  built.push(...(await buildLibraries(workspace, [...libraries.values()].flat(), out)));

  const present = new Set(built.map(({ name }) => name));
  const optionalOf = new Map<Source, Record<string, string>>();
  for (const source of requested) {
    const all = {
      ...(source === workspace.runtime && (await platformDependencies(workspace))),
      ...nativeDependencies(libraries.get(source) ?? []),
    };
    const named: Record<string, string> = {};
    for (const [name, version] of Object.entries(all).sort()) {
      if (present.has(name) || (await isPublished(name, version))) named[name] = version;
    }
    optionalOf.set(source, named);
  }

  const state = await digestSources(workspace, requested, [...optionalOf.values()]);
  const cached = await readCache(out, state);
  if (cached !== undefined && requested.every(({ manifest }) => cached.has(manifest.name))) {
    return [...built, ...requested.map(({ manifest }) => cached.get(manifest.name) as BuiltPackage)];
  }
  const fresh = await withDeclarations(workspace, requested, out, async (declarations) => {
    const [first, ...others] = declarations.errors;
    if (first !== undefined) log(`declarations: ${first}${others.length > 0 ? ` (and ${others.length} more)` : ''}`);
    const packages: BuiltPackage[] = [];
    for (const source of requested)
      packages.push(
        await buildSource(
          workspace,
          source,
          { libraries: libraries.get(source) ?? [], optional: optionalOf.get(source) ?? {} },
          declarations,
          out,
          log,
        ),
      );
    return packages;
  });
  await writeCache(out, state, fresh);
  return [...built, ...fresh];
}

async function buildSource(
  workspace: Workspace,
  source: Source,
  { libraries, optional }: { libraries: readonly NativeLibrary[]; optional: Record<string, string> },
  declarations: Declarations,
  out: string,
  log: (line: string) => void,
): Promise<BuiltPackage> {
  const { manifest, folder, tier } = source;
  const { root, scope } = workspace;
  const isRuntime = source === workspace.runtime;
  const files: PackageFiles = new Map();
  const add = (more: PackageFiles) => {
    for (const [path, file] of more) files.set(path, file);
  };

  const { files: bundles, bundled } = await bundle(
    root,
    entryPoints(source),
    [`${scope}/*`],
    libraries,
    workspace.bundled,
  ).catch((error: Error) => {
    throw new Error(`${manifest.name} cannot be bundled: ${error.message}`);
  });
  add(bundles);
  add(await declarations.of(source));
  if (isRuntime) add(explorerAssets(folder));
  const migrations = join(folder, 'migrations');
  for (const name of existsSync(migrations) ? await readdir(migrations) : []) {
    if (name.endsWith('.js')) files.set(`migrations/${name}`, { from: join(migrations, name) });
  }
  // Files that the package reads, such as fonts.
  const assets = join(folder, 'assets');
  const found = existsSync(assets) ? await readdir(assets, { recursive: true, withFileTypes: true }) : [];
  for (const entry of found.filter((each) => each.isFile())) {
    const from = join(entry.parentPath, entry.name);
    files.set(relative(folder, from).split(sep).join('/'), { from });
  }
  if (existsSync(join(folder, 'README.md'))) files.set('README.md', { from: join(folder, 'README.md') });
  if (existsSync(join(root, 'LICENSE'))) files.set('LICENSE', { from: join(root, 'LICENSE') });
  const licences = await thirdPartyLicences(bundled);
  if (licences !== '') files.set('THIRD-PARTY-LICENSES.txt', { content: licences });

  const published = await publishedManifest(workspace, source, optional, files, log);
  files.set('package.json', { content: `${JSON.stringify(published, null, 2)}\n` });
  const tarball = tarballPath(out, manifest);
  const integrity = await packTarball(files, tarball);
  const { name, version, description = name } = manifest;
  const dependencies = [
    ...dependenciesOf(published.dependencies, false),
    ...dependenciesOf(published.optionalDependencies, true),
  ];
  const kind = isRuntime ? 'platform' : 'product';
  return { name, version, description, kind, tier, tarball, integrity, dependencies };
}

function dependenciesOf(ranges: Record<string, string> = {}, optional: boolean): PackageDependency[] {
  return Object.entries(ranges).map(([name, range]) => ({ name, range, optional }));
}

/** The package.json of the tarball: built exports and the vendor's own dependencies, without those for development. */
async function publishedManifest(
  workspace: Workspace,
  source: Source,
  optional: Record<string, string>,
  files: PackageFiles,
  log: (line: string) => void,
): Promise<Manifest> {
  const { name, version, description, license, type, engines, exports = {} } = source.manifest;
  const isRuntime = source === workspace.runtime;
  const built: Manifest['exports'] = {};
  for (const [subpath, target] of Object.entries(exports)) {
    if (typeof target === 'string') {
      built[subpath] = target;
    } else if (target.default !== undefined) {
      const types = target.default.replace(/\.js$/, '.d.ts');
      if (files.has(types.slice(2))) built[subpath] = { types, default: target.default };
      else {
        log(`${name} has no declarations for ${subpath}`);
        built[subpath] = { default: target.default };
      }
    }
  }
  const migrations = await kindsOfMigrations(join(source.folder, 'migrations'));
  const vendorFields = {
    ...(source.manifest[workspace.vendor] as Record<string, unknown> | undefined),
    ...(migrations && { migrations }),
  };
  return {
    name,
    version,
    description,
    license,
    type,
    exports: built,
    engines,
    dependencies: ownDependencies(source.manifest, workspace),
    ...(Object.keys(optional).length > 0 && { optionalDependencies: optional }),
    // The registry serves packages with `platform` to every licence.
    [workspace.vendor]: isRuntime ? { ...vendorFields, platform: true } : vendorFields,
  };
}

/** Builds a platform package unless its tarball exists: packing 60 MB takes seconds, and a version never changes. */
async function buildPlatform({ vendor }: Workspace, source: PlatformSource, out: string): Promise<BuiltPackage> {
  const { name, version } = source;
  const tarball = tarballPath(out, source);
  const integrity = existsSync(tarball)
    ? await integrityOf(tarball)
    : await packTarball(await platformFiles(source, vendor), tarball);
  const description = `PostgreSQL for ${name.slice(name.indexOf('-') + 1)}`;
  return { name, version, description, kind: 'platform', tier: null, tarball, integrity, dependencies: [] };
}

/** Builds each library once per installed platform, unless its tarball exists: a version never changes. */
async function buildLibraries(
  { vendor }: Workspace,
  libraries: readonly NativeLibrary[],
  out: string,
): Promise<BuiltPackage[]> {
  const built = new Map<string, BuiltPackage>();
  for (const library of libraries) {
    for (const installed of library.installed) {
      const name = `${library.prefix}-${installed.platform}`;
      const { version } = library;
      const other = built.get(name);
      if (other && other.version !== version) throw new Error(`${library.library} is used in two versions`);
      if (other) continue;
      const tarball = tarballPath(out, { name, version });
      const integrity = existsSync(tarball)
        ? await integrityOf(tarball)
        : await packTarball(await nativeFiles(library, installed, vendor), tarball);
      const description = `Native code of ${library.library} for ${installed.platform}`;
      built.set(name, {
        name,
        version,
        description,
        kind: 'library',
        tier: null,
        tarball,
        integrity,
        dependencies: [],
      });
    }
  }
  return [...built.values()];
}

/** The file name that npm uses: `@scope/name` 1.0.0 becomes `scope-name-1.0.0.tgz`. */
function tarballPath(out: string, { name, version }: { name: string; version: string }): string {
  return join(out, `${name.slice(1).replace('/', '-')}-${version}.tgz`);
}

/** Sorts the runtime first, then each package after its dependencies. Circular dependencies are allowed. */
function inDependencyOrder(workspace: Workspace): Source[] {
  const { runtime, packages } = workspace;
  const byName = new Map(packages.map((source) => [source.manifest.name, source]));
  const ordered = new Set<Source>(runtime === undefined ? [] : [runtime]);
  const visited = new Set<Source>();
  const visit = (source: Source) => {
    if (visited.has(source)) return;
    visited.add(source);
    for (const name of Object.keys(ownDependencies(source.manifest, workspace))) {
      const dependency = byName.get(name);
      if (dependency !== undefined) visit(dependency);
    }
    ordered.add(source);
  };
  packages.forEach(visit);
  return [...ordered];
}
