/**
 * Builds one executable from a Node and the bundled command, with pkg.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pkgSea from '@yao-pkg/pkg/lib-es5/sea.js';
import type { Bundle } from './bundle.ts';
import { copyStripped, type Processor } from './node-binaries.ts';

/**
 * Builds `output` from `node`.
 * @param home a temporary folder, in which pkg finds the Node that it would otherwise download
 * @returns whether symbols could be stripped
 */
export async function buildBinary(
  bundle: Bundle,
  node: { path: string; version: string; processor: Processor },
  output: string,
  home: string,
): Promise<boolean> {
  const { version, processor } = node;
  // pkg treats an archive and an executable as downloaded if each has a file `.ok` beside it.
  const name = `node-v${version}-linux-${processor}`;
  const cache = join(home, '.pkg-cache', 'sea');
  const executable = join(cache, name, 'bin', 'node');
  await mkdir(dirname(executable), { recursive: true });
  const stripped = await copyStripped(node.path, executable, processor);
  for (const marker of [`${name}.tar.gz`, `${name}.tar.gz.ok`, `${name}/bin/node.ok`]) {
    await writeFile(join(cache, marker), '');
  }

  const homeBefore = process.env.HOME;
  process.env.HOME = home;
  try {
    // A code cache fits only the processor whose V8 created it.
    const native = processor === process.arch;
    await pkgSea.default(bundle.main, {
      targets: [{ platform: 'linux', arch: processor, nodeRange: `node${version}`, output } as never],
      seaConfig: {
        disableExperimentalSEAWarning: true,
        useSnapshot: false,
        useCodeCache: native,
        assets: native ? { ...bundle.assets, ...bundle.codeCache } : bundle.assets,
      },
    });
  } finally {
    process.env.HOME = homeBefore;
  }
  return stripped;
}
