/**
 * `npm run publish:packages`: builds every package of a box, publishes those whose version is new, and releases them
 * together on a channel.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages, makeRelease, publishPackages, publishRelease, readContents } from '../tools/packages/index.ts';
import { readWorkspace, repository } from '../tools/packages/sources.ts';

const help = `Usage: npm run publish:packages -- [options]

Builds the packages of a box, publishes those whose version the registry does not have yet, and publishes their release
at the control plane: installers resolve against it. The publisher's secret is taken from PUBLISH_SECRET. Nothing is
published when the packages do not fit together, or when a published version has other content: raise its version with
npm run release.

  --channel <name>       channel to release on (stable)
  --control-plane <url>  control plane that publishes the release (CONTROL_PLANE_URL, else http://127.0.0.1:4000)
  --registry <url>       registry to publish to (REGISTRY_URL, else http://127.0.0.1:4873)
  --out <folder>         where the tarballs go (CARTON_HOME/packages, else .carton/packages)
  --only <name>          only this package, for example @carton/cart, and no release; may be repeated
  --build                only build
  --dry-run              build, and say what would be published
  --replace              replace what is published under the same version (for a registry of your own)
  --help                 show this

Exit codes: 0 done, 1 failed, 2 wrong options.`;

const say = (line: string) => process.stdout.write(`${line}\n`);

function readOptions() {
  const { env } = process;
  try {
    const { values } = parseArgs({
      options: {
        channel: { type: 'string', default: 'stable' },
        'control-plane': { type: 'string', default: env.CONTROL_PLANE_URL || 'http://127.0.0.1:4000' },
        registry: { type: 'string', default: env.REGISTRY_URL || 'http://127.0.0.1:4873' },
        out: { type: 'string', default: join(env.CARTON_HOME || join(repository, '.carton'), 'packages') },
        only: { type: 'string', multiple: true },
        build: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        replace: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${help}\n`);
    process.exit(2);
  }
}

const options = readOptions();
if (options.help) {
  say(help);
  process.exit(0);
}
const publishSecret = process.env.PUBLISH_SECRET;
if (!options.build && !publishSecret) {
  process.stderr.write("PUBLISH_SECRET is not set: it holds the publisher's secret of the registry\n");
  process.exit(2);
}

try {
  const start = performance.now();
  const packages = await buildPackages({ out: options.out, only: options.only, log: say });
  say(`${packages.length} packages built in ${((performance.now() - start) / 1000).toFixed(1)} s: ${options.out}`);
  if (!options.build && publishSecret) {
    const { version } = await readWorkspace(repository);
    const release = options.only ? null : makeRelease(version, options.channel, packages, await readContents());
    const { published, unchanged } = await publishPackages({
      registryUrl: options.registry,
      publishSecret,
      packages,
      tag: options.channel === 'stable' ? 'latest' : options.channel,
      dryRun: options['dry-run'],
      replace: options.replace,
      log: say,
    });
    say(`${published.length} published, ${unchanged.length} already there: ${options.registry}`);
    if (release && options['dry-run']) say(`release ${version} would be published on ${options.channel}`);
    else if (release) {
      await publishRelease(options['control-plane'], publishSecret, release);
      say(`release ${version} is published on ${options.channel}: ${options['control-plane']}`);
    }
  }
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
