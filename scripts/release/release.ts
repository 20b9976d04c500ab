/**
 * `npm run release`: raises the version of each package that changed since the last release, writes CHANGELOG.md of the
 * files in changes/, commits both and tags the commit.
 */
import { join } from 'node:path';
import type { Release } from '../../control-plane/releases/schemas.ts';
import { packageName } from '../../runtime/vendor.ts';
import { runCommand, UsageError, urlOf } from '../../tools/command-line.ts';
import { buildPackages } from '../../tools/packages/index.ts';
import { readWorkspace, repository, type Source } from '../../tools/packages/sources.ts';
import { readChanges } from './change-files.ts';
import { faultsOfDetails, headOf, requireNewSection, sectionOf, writeSection } from './changelog-text.ts';
import { commitRelease, requireReleasable, tagOf } from './git.ts';
import { type Level, planVersions, type VersionPlan, writeVersions } from './versions.ts';

const help = `Usage: npm run release -- [options]

Prepares the next release. Builds all packages and compares them with the
current release of the channel stable at the control plane. A changed package
gets a new version (a patch version by default), and so do packages whose ranges
do not include the new version. Writes package.json files, package-lock.json,
and a section of CHANGELOG.md made of the files in changes/, which it removes.
Then it commits these files and tags the commit. Nothing may be uncommitted
before. Push the commit with its tag, and run npm run publish:packages.

  --minor <package>      raise the minor version of this package; may be repeated.
                         Before 1.0.0, this marks an incompatible change
  --major <package>      raise the major version of this package; may be repeated
  --control-plane <url>  control plane (default: CONTROL_PLANE_URL or
                         http://127.0.0.1:4000)
  --dry-run              print what would be written
  --help                 print this help

Exit codes: 0 success, or nothing changed; 1 failure; 2 wrong usage.
`;

const options = {
  minor: { type: 'string', multiple: true, default: [] as string[] },
  major: { type: 'string', multiple: true, default: [] as string[] },
  'control-plane': { type: 'string', default: process.env.CONTROL_PLANE_URL || 'http://127.0.0.1:4000' },
  'dry-run': { type: 'boolean', default: false },
} as const;

/** Reads the release of the channel stable; null if none has been published. */
async function readReleased(controlPlaneUrl: string): Promise<Release | null> {
  const response = await fetch(`${controlPlaneUrl.replace(/\/+$/, '')}/releases/stable`).catch((error: Error) => {
    const reason = (error.cause as Error)?.message ?? error.message;
    throw new Error(`the control plane at ${controlPlaneUrl} cannot be reached: ${reason}`);
  });
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`the control plane at ${controlPlaneUrl} responded with status ${response.status}`);
  return (await response.json()) as Release;
}

/**
 * Reads how far each package is raised.
 * @throws UsageError for an unknown package
 */
function levelsOf({ minor, major }: { minor: string[]; major: string[] }, sources: readonly Source[]) {
  const levels = new Map<string, Level>();
  for (const [level, names] of [['minor', minor] as const, ['major', major] as const]) {
    for (const option of names) {
      const name = option.startsWith('@') ? option : packageName(option);
      if (!sources.some(({ manifest }) => manifest.name === name))
        throw new UsageError(`there is no package ${option}`);
      levels.set(name, level);
    }
  }
  return (name: string): Level => levels.get(name) ?? 'patch';
}

/** The plan of the first release: all packages keep their versions. */
function firstPlan(sources: readonly Source[], version: string): VersionPlan {
  const packages = sources.map(({ manifest: { name, version: to } }) => ({ name, from: to, to, because: [] }));
  return { version, packages, manifests: new Map() };
}

await runCommand({ name: 'npm run release', help, options }, async ({ values }) => {
  const controlPlane = urlOf('control-plane', values['control-plane']);
  const workspace = await readWorkspace(repository);
  const sources = [workspace.runtime as Source, ...workspace.packages];
  const levelOf = levelsOf(values, sources);
  const { changes, faults: faultsOfFiles } = readChanges(repository);
  const faults = [...faultsOfFiles, ...faultsOfDetails(repository, changes)];
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const released = await readReleased(controlPlane);
  process.stdout.write(released ? `the last release is ${released.version}\n` : 'this is the first release\n');

  const out = join(process.env.CARTON_HOME || join(repository, '.carton'), 'packages');
  // With the platforms of the last release: others would be a change.
  const published = new Set(released?.packages.map(({ name }) => name));
  const built = await buildPackages({ out, isPublished: async (name) => published.has(name) });
  const plan = released
    ? planVersions({ root: repository, sources, built, released, levelOf })
    : firstPlan(sources, workspace.version);
  if (released && plan.packages.length === 0) {
    process.stdout.write(`nothing changed since ${released.version}\n`);
    return 0;
  }
  requireNewSection(repository, plan.version);
  const section = sectionOf({
    title: `${plan.version} (${new Date().toISOString().slice(0, 10)})`,
    head: released ? headOf(repository, plan.version) : null,
    packages: plan.packages,
    changes,
  });
  for (const { name, from, to } of plan.packages) {
    process.stdout.write(from === to ? `${name} ${to}\n` : `${name} ${from} -> ${to}\n`);
  }
  if (values['dry-run']) {
    process.stdout.write(`\n${section}`);
    return 0;
  }
  requireReleasable(repository, plan.version);
  const written = [
    ...(await writeVersions(repository, plan)),
    ...writeSection(repository, plan.version, section, changes),
  ];
  commitRelease(repository, plan.version, written, section);
  process.stdout.write(`committed ${written.join(', ')}\nand tagged the commit ${tagOf(plan.version)}\n`);
  process.stdout.write('\nNext: git push --follow-tags, then npm run publish:packages\n');
  return 0;
});
