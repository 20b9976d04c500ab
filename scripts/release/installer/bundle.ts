/**
 * Bundles the command into two self-contained CommonJS files: the entry, and the program that it loads on demand.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { checkLazyImports, exportsOfModules } from '../../../tools/packages/lazy-imports.ts';
import { codeCacheAsset, programAsset, wrap } from './program-format.ts';

/** Paths of the files that go into the binary. */
export interface Bundle {
  main: string;
  /** By asset name. */
  assets: Record<string, string>;
  /** Assets that only fit the processor and the V8 of this Node. */
  codeCache: Record<string, string>;
}

/**
 * Bundles the command into a folder.
 * @param root the checkout
 * @param out an existing folder
 * @throws Error for a name that a lazy import takes and the bundle does not have
 */
export async function bundleInstaller(root: string, out: string): Promise<Bundle> {
  const main = join(out, 'main.cjs');
  const program = join(out, programAsset);
  const shared: BuildOptions = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    minify: true,
    legalComments: 'none',
    logLevel: 'error',
    conditions: ['workspace-source'],
  };
  const installer = join(root, 'installer');
  const programPlugin: Plugin = {
    name: 'program-asset',
    setup(context) {
      const path = join(root, 'scripts/release/installer/program-asset.ts');
      context.onResolve({ filter: /^\.\/program\.ts$/ }, () => ({ path }));
    },
  };
  const bundleFile = async (entry: string, outfile: string, plugins: Plugin[] = []) => {
    const entryPoints = [join(installer, entry)];
    const { metafile, outputFiles } = await build({
      ...shared,
      entryPoints,
      outfile,
      plugins,
      write: false,
      metafile: true,
    });
    await checkLazyImports(root, metafile, await exportsOfModules(metafile, { ...shared, plugins }));
    const text = outputFiles[0]?.text ?? '';
    await writeFile(outfile, text);
    return text;
  };
  await bundleFile('cli.ts', main, [programPlugin]);
  const source = await bundleFile('program.ts', program);

  const codeCache = join(out, codeCacheAsset);
  await writeFile(codeCache, new Script(wrap(source), { filename: programAsset }).createCachedData());
  return { main, assets: { [programAsset]: program }, codeCache: { [codeCacheAsset]: codeCache } };
}
