// Third-party libraries with native code or WebAssembly as packages of the vendor, one per platform. A package lists them
// in its package.json (`"carton": { "native": ["sharp"] }`). They are not bundled but published unchanged beside it, so
// that a box needs no other registry and no compiler.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { thirdPartyLicences } from './licences.ts';
import type { FetchPackage } from './other-platforms.ts';
import { platforms } from './postgresql.ts';
import { type Manifest, readManifest, type Source, type Workspace } from './sources.ts';
import type { PackageFiles } from './tarball.ts';

/** Licences that permit redistribution; LGPL does, since the library stays separate. */
const redistributableLicences = new Set([
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'LGPL-2.1-or-later',
  'LGPL-3.0',
  'LGPL-3.0-or-later',
  'MIT',
]);

/** Takes the place of the platform in the name of a package for all platforms (WebAssembly). */
const anyPlatform = 'any';

export type NativeLibrary = {
  /** Its npm name: `sharp`. */
  library: string;
  /** The module of it that is used: `sharp`, `libheif-js/wasm-bundle.js`. */
  entry: string;
  /** Names of its packages without the platform: `@carton/sharp`. */
  prefix: string;
  /** The library's version, and a digest of its dependencies on every platform and of its module. */
  version: string;
  /** The platforms that the library supports (`linux-x64`), or `any`. */
  platforms: string[];
  /** The platforms that can be built on this machine, with the library and its dependencies. */
  installed: { platform: string; parts: Part[] }[];
};

type Part = { folder: string; manifest: Manifest };

/**
 * Reads the libraries that a package lists.
 * @throws Error if one is not installed or may not be redistributed
 */
export async function nativeLibraries(
  workspace: Workspace,
  source: Source,
  fetchPackage?: FetchPackage,
): Promise<NativeLibrary[]> {
  const vendorFields = source.manifest[workspace.vendor] as { native?: string[] } | undefined;
  return Promise.all((vendorFields?.native ?? []).map((entry) => readLibrary(workspace, source, entry, fetchPackage)));
}

async function readLibrary(
  { scope }: Workspace,
  source: Source,
  entry: string,
  fetchPackage?: FetchPackage,
): Promise<NativeLibrary> {
  const library = /^(?:@[^/]+\/)?[^/]+/.exec(entry)?.[0] ?? entry;
  const own = await findPart(source.folder, library);
  if (!own) throw new Error(`${source.manifest.name} lists the native library ${library}, which is not installed`);
  const common = await closureOf([own]);
  const optional = common.flatMap(({ manifest }) => Object.keys(manifest.optionalDependencies ?? {}));
  const known = platforms.filter((platform) => optional.some((name) => name.endsWith(`-${platform}`)));
  const installed: NativeLibrary['installed'] = [];
  for (const platform of known) {
    const parts = await partsFor(platform, own, common, fetchPackage);
    if (parts) installed.push({ platform, parts });
  }
  if (known.length === 0) installed.push({ platform: anyPlatform, parts: common });
  for (const { manifest } of installed.flatMap(({ parts }) => parts)) {
    if (redistributableLicences.has(String(manifest.license))) continue;
    throw new Error(
      `${manifest.name} ${manifest.version} (${manifest.license}) may not be redistributed with ${library}`,
    );
  }
  const needed = common.map(({ manifest }) => `${manifest.name}@${manifest.version}`).sort();
  if (entry !== library) needed.push(entry);
  const digest = createHash('sha256').update(needed.join('\n')).digest('hex').slice(0, 8);
  return {
    library,
    entry,
    prefix: `${scope}/${library.replace(/^@/, '').replace('/', '-')}`,
    version: `${own.manifest.version}-parts.d${digest}`,
    platforms: known.length > 0 ? known : [anyPlatform],
    installed,
  };
}

/** The library with its dependencies for a platform; undefined if npm has not installed them on this machine and they are not fetched. */
async function partsFor(
  platform: string,
  own: Part,
  common: readonly Part[],
  fetchPackage?: FetchPackage,
): Promise<Part[] | undefined> {
  const platformParts: Part[] = [];
  for (const { folder, manifest } of common) {
    for (const name of Object.keys(manifest.optionalDependencies ?? {})) {
      if (!name.endsWith(`-${platform}`)) continue;
      const part = (await findPart(folder, name)) ?? (await fetchPart(name, fetchPackage));
      if (!part) return undefined;
      platformParts.push(part);
    }
  }
  return closureOf([own, ...platformParts]);
}

async function fetchPart(name: string, fetchPackage?: FetchPackage): Promise<Part | undefined> {
  const folder = await fetchPackage?.(name);
  return folder === undefined ? undefined : { folder, manifest: await readManifest(folder) };
}

/**
 * Returns parts with all their dependencies, each once.
 * @throws Error if one is needed in two versions
 */
async function closureOf(parts: readonly Part[]): Promise<Part[]> {
  const found = new Map<string, Part>();
  const visit = async (part: Part): Promise<void> => {
    const { name, version, dependencies = {} } = part.manifest;
    const other = found.get(name);
    if (other && other.manifest.version !== version) throw new Error(`${name} is needed in two versions`);
    if (other) return;
    found.set(name, part);
    for (const needed of Object.keys(dependencies)) {
      const next = await findPart(part.folder, needed);
      if (!next) throw new Error(`${name} needs ${needed}, which is not installed`);
      await visit(next);
    }
  };
  for (const part of parts) await visit(part);
  return [...found.values()];
}

/** Resolves a package as Node.js does: in the `node_modules` of a folder and of its parents. */
async function findPart(from: string, name: string): Promise<Part | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) {
      return { folder: candidate, manifest: await readManifest(candidate) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The optional dependencies of a package with native libraries on all platforms, as `platformDependencies`. */
export function nativeDependencies(libraries: readonly NativeLibrary[]): Record<string, string> {
  return Object.fromEntries(
    libraries.flatMap(({ prefix, version, platforms }) =>
      platforms.map((platform) => [`${prefix}-${platform}`, version]),
    ),
  );
}

/** The code that replaces a library in a bundle: it loads the package of its platform. */
export function nativeLoader({ prefix, platforms }: NativeLibrary): string {
  const platform = platforms.includes(anyPlatform) ? `'${anyPlatform}'` : "process.platform + '-' + process.arch";
  return `module.exports = require('${prefix}-' + ${platform});\n`;
}

/** The files of a library's package for a platform, in npm's layout, so that they resolve one another. */
export async function nativeFiles(
  { library, entry, prefix, version }: NativeLibrary,
  { platform, parts }: NativeLibrary['installed'][number],
  vendor: string,
): Promise<PackageFiles> {
  const [os, cpu] = platform === anyPlatform ? [] : platform.split('-');
  const manifest = {
    name: `${prefix}-${platform}`,
    version,
    description: `${library} for a box${os ? ` on ${os} ${cpu}` : ''}`,
    license: [...new Set(parts.map((part) => part.manifest.license))].sort().join(' AND '),
    ...(os && { os: [os], cpu: [cpu] }),
    main: './lib/index.cjs',
    // The registry serves it to licences with a package that lists it.
    [vendor]: { native: true },
  };
  const files: PackageFiles = new Map([
    ['package.json', { content: `${JSON.stringify(manifest, null, 2)}\n` }],
    ['lib/index.cjs', { content: `module.exports = require('${entry}');\n` }],
    ['THIRD-PARTY-LICENSES.txt', { content: await thirdPartyLicences(parts.map(({ folder }) => folder).sort()) }],
  ]);
  for (const { folder, manifest: part } of parts) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const from = join(entry.parentPath, entry.name);
      const path = from
        .slice(folder.length + 1)
        .split(sep)
        .join('/');
      if (!entry.isFile() || path.split('/').includes('node_modules')) continue;
      const executable = ((await stat(from)).mode & 0o111) !== 0;
      files.set(`lib/node_modules/${part.name}/${path}`, { from, executable });
    }
  }
  return files;
}
