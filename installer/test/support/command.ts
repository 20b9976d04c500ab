/**
 * The program of the command, for tests: bundled into one CommonJS file, as in the binary. Tests run hundreds of commands, and
 * half of the CPU time of most is spent on loading a hundred modules. The bundle is made once, and again when a source has
 * changed.
 *
 * Where coverage is measured, the sources run themselves.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

/** Processes of tests share compiled code. */
export const compileCache = join(tmpdir(), 'installer-test-compile-cache');

const root = fileURLToPath(new URL('../../..', import.meta.url));
const entry = join(root, 'installer/cli.ts');
const bundled = 'command.cjs';

/** The command runs itself as its supervisor, by the path of its program. */
const runsItself: Plugin = {
  name: 'runs-itself',
  setup(context) {
    context.onLoad({ filter: /\/box\/command-words\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace("new URL('../cli.ts', import.meta.url)", 'import.meta.url');
      if (contents === source) throw new Error(`${path} names the program in another way`);
      return { contents, loader: 'ts' };
    });
  },
};

/** Path of the program, to be run by Node.js. */
export const commandFile = process.env.NODE_V8_COVERAGE ? entry : await bundleOfSources();

async function bundleOfSources(): Promise<string> {
  const folder = join(tmpdir(), `test-command-${digestOfSources()}`);
  if (!existsSync(folder)) {
    const partial = await mkdtemp(`${folder}-`);
    await bundle(join(partial, bundled));
    // Another process may have been faster.
    await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
  }
  return join(folder, bundled);
}

/** Changes with the sources of the command, and with the packages that are installed. */
function digestOfSources(): string {
  const sources = globSync('installer/**/*.{ts,json}', { cwd: root, exclude: ['**/node_modules', '**/test'] }).sort();
  const hash = createHash('sha256');
  for (const path of [...sources, 'package-lock.json', 'installer/test/support/command.ts']) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function bundle(outfile: string): Promise<void> {
  await build({
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    sourcemap: 'linked',
    logLevel: 'error',
    conditions: ['workspace-source'],
    banner: { js: 'const fileUrl = require("node:url").pathToFileURL(__filename).href;' },
    define: { 'import.meta.url': 'fileUrl' },
    plugins: [runsItself],
    entryPoints: [entry],
    outfile,
  });
}
