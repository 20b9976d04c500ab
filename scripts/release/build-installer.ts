/**
 * `npm run build:installer`: builds the command as one binary per processor, in `dist/`.
 *
 * If the Node.js of another processor cannot be downloaded, its binary is skipped with a message; with `--all` this is an
 * error. With `--this-platform` only the binary for this machine is built.
 */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { version as installerVersion, vendor } from '../../installer/vendor.ts';
import { runCommand } from '../../tools/command-line.ts';
import { buildBinary } from './installer/build-binary.ts';
import { bundleInstaller } from './installer/bundle.ts';
import { checkBinary } from './installer/check-binary.ts';
import { nodeFor, type Processor, pinnedVersion, processors } from './installer/node-binaries.ts';

const root = join(import.meta.dirname, '../..');
const help = `Usage: npm run build:installer -- [options]

Builds the command as one binary per processor, in dist/.

  --this-platform  only the binary for this machine
  --all            fail if the Node.js of another processor cannot be
                   downloaded; without it, its binary is skipped
  --help           this text

Exit codes: 0 built, 1 could not be built, 2 wrong usage.
`;

const flag = { type: 'boolean', default: false } as const;
const say = (line: string) => console.log(`build-installer: ${line}`);

await runCommand(
  { name: 'npm run build:installer', help, options: { all: flag, 'this-platform': flag } },
  async ({ values }) => {
    const version = await pinnedVersion(root);
    if (process.version !== `v${version}`) {
      throw new Error(`this is Node ${process.version}; use npm run build:installer, which runs ${version}`);
    }
    const cache = join(root, 'node_modules/.cache/build-installer');
    const work = join(cache, `work-${process.pid}`);
    await mkdir(work, { recursive: true });
    try {
      const bundle = await bundleInstaller(root, work);
      for (const processor of processors) {
        if (processor === process.arch || !values['this-platform']) await build(processor);
      }

      async function build(processor: Processor): Promise<void> {
        const output = join(root, 'dist', `${vendor}-linux-${processor}`);
        let path: string;
        try {
          path = await nodeFor(processor, version, root, cache);
        } catch (error) {
          if (values.all || processor === process.arch) throw error;
          say(
            `linux-${processor} is skipped: its Node cannot be downloaded (${(error as Error).message.split('\n')[0]})`,
          );
          return;
        }
        const stripped = await buildBinary(bundle, { path, version, processor }, output, join(work, processor));
        const { size } = await stat(output);
        say(
          `${output}: ${(size / 1_000_000).toFixed(1)} MB${stripped ? '' : ' (with symbols: no tool can strip them for this processor)'}`,
        );
        if (processor !== process.arch) return;
        const times = await checkBinary(output, path, installerVersion);
        const shown = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`;
        say(
          `--version ${shown(times.version)}, node -e 0 ${shown(times.node)} ` +
            `(${(times.version / times.node).toFixed(2)} times), install --help ${shown(times.help)}`,
        );
      }
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return 0;
  },
);
