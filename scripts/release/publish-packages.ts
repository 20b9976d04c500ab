/**
 * `npm run publish:packages`: builds the packages of a box, publishes those with a new version, and publishes their
 * release on a channel.
 */
import { join } from 'node:path';
import { runCommand, UsageError, urlOf } from '../../tools/command-line.ts';
import {
  buildPackages,
  distTagOf,
  isPublishedAt,
  makeRelease,
  openOtherPlatforms,
  openSigningKeys,
  publishPackages,
  publishProvenance,
  publishRelease,
  publishReleaseProvenance,
  readBuildFacts,
  readContents,
  tagChannel,
} from '../../tools/packages/index.ts';
import { readWorkspace, repository } from '../../tools/packages/sources.ts';

const help = `Usage: npm run publish:packages -- [options]

Builds the packages of a box, publishes those whose version is not in the registry yet, and publishes their release at
the control plane, from which installers choose versions. PUBLISH_SECRET is the secret of the publisher. Nothing is
published if the packages are not compatible, or if a version is already published with other content: raise it with
npm run release. The dist-tag of the channel (latest for stable) then leads to the versions of the release.

PostgreSQL and native libraries are published for all platforms: those that npm has not installed on this machine are
fetched from npm's registry, as package-lock.json has them.

PACKAGE_SIGNING_KEY_FILE names the private key that signs what is published (npm run package-keys creates it), or
several, separated by commas. Without it, nothing is signed. With it, the registry also gets the provenance of the
packages and the release: the commit, package-lock.json and tools with which they were built. PACKAGE_BUILDER is the
URI of who builds them (default: urn:carton:builder:publish-packages).

  --channel <name>       channel of the release (default: stable)
  --control-plane <url>  control plane (default: CONTROL_PLANE_URL or http://127.0.0.1:4000)
  --registry <url>       registry (default: REGISTRY_URL or http://127.0.0.1:4873)
  --out <folder>         folder for the tarballs (default: CARTON_HOME/packages or .carton/packages)
  --only <name>          publish only this package, such as @carton/cart, without a release; may be repeated
  --this-platform        leave out other platforms than this machine's (for a local registry)
  --build                build without publishing
  --dry-run              build, and print what would be published
  --replace              replace published versions whose content differs (for a local registry)
  --help                 print this help

Exit codes: 0 success, 1 failure, 2 wrong usage.`;

const print = (line: string) => process.stdout.write(`${line}\n`);

const { env } = process;
const flag = { type: 'boolean', default: false } as const;
const options = {
  channel: { type: 'string', default: 'stable' },
  'control-plane': { type: 'string', default: env.CONTROL_PLANE_URL || 'http://127.0.0.1:4000' },
  registry: { type: 'string', default: env.REGISTRY_URL || 'http://127.0.0.1:4873' },
  out: { type: 'string', default: join(env.CARTON_HOME || join(repository, '.carton'), 'packages') },
  only: { type: 'string', multiple: true },
  'this-platform': flag,
  build: flag,
  'dry-run': flag,
  replace: flag,
} as const;

await runCommand({ name: 'npm run publish:packages', help, options }, async ({ values }) => {
  const registryUrl = urlOf('registry', values.registry);
  const controlPlane = urlOf('control-plane', values['control-plane']);
  const publishSecret = env.PUBLISH_SECRET;
  if (!values.build && !publishSecret)
    throw new UsageError('PUBLISH_SECRET is not set: it is the secret of the publisher');
  const start = performance.now();
  const platforms = { root: repository, folder: join(values.out, 'platforms'), log: print };
  const fetchPackage = values['this-platform'] ? undefined : openOtherPlatforms(platforms);
  const registry = publishSecret && !values.build ? { registryUrl, publishSecret } : undefined;
  const packages = await buildPackages({
    out: values.out,
    only: values.only,
    fetchPackage,
    ...(registry && { isPublished: isPublishedAt(registry) }),
    log: print,
  });
  print(`${packages.length} packages built in ${((performance.now() - start) / 1000).toFixed(1)} s: ${values.out}`);
  if (!values.build && publishSecret) {
    const { PACKAGE_SIGNING_KEY_FILE: keyFiles } = process.env;
    const sign = keyFiles ? await openSigningKeys(keyFiles) : undefined;
    const { version } = await readWorkspace(repository);
    const release = values.only ? null : makeRelease(version, values.channel, packages, await readContents());
    const { published, unchanged } = await publishPackages({
      registryUrl,
      publishSecret,
      packages,
      sign,
      tag: distTagOf(values.channel),
      dryRun: values['dry-run'],
      replace: values.replace,
      log: print,
    });
    print(`${published.length} published, ${unchanged.length} unchanged: ${registryUrl}`);
    const provenance = sign && {
      registryUrl,
      publishSecret,
      sign,
      facts: await readBuildFacts(process.env.PACKAGE_BUILDER || undefined),
    };
    if (provenance && !values['dry-run']) {
      const count = await publishProvenance(provenance, packages);
      if (count > 0) print(`provenance of ${count} packages published`);
      // Before the release, so that installers find it.
      if (release) await publishReleaseProvenance(provenance, release);
    }
    if (release && values['dry-run']) print(`release ${version} would be published on ${values.channel}`);
    else if (release) {
      await publishRelease(controlPlane, publishSecret, release, sign);
      print(`release ${version} published on ${values.channel}: ${controlPlane}`);
      const { channel } = values;
      const moved = await tagChannel({ registryUrl, publishSecret, channel, packages });
      print(`${moved} packages have a new version with the dist-tag ${distTagOf(channel)}`);
    }
  }
  return 0;
});
