// Libraries with native code: they are not bundled but published in a package of their own, and loaded from it.

import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { type BuiltPackage, buildPackages } from '../index.ts';
import { contentOf, makeFolder, makeWorkspace, unpack } from './workspace.ts';

const platform = `linux-${process.arch}`;
const otherPlatform = process.arch === 'x64' ? 'linux-arm64' : 'linux-x64';
const parts = (suffix: string) => ({ [`@fake/lens-${platform}`]: suffix, [`@fake/lens-${otherPlatform}`]: suffix });

/** A library with the layout of sharp: its own code, a dependency, and a part for each platform. */
const files: Record<string, string | object> = {
  'node_modules/lens/package.json': {
    name: 'lens',
    version: '2.0.0',
    license: 'Apache-2.0',
    dependencies: { glass: '1.0.0' },
    optionalDependencies: { ...parts('2.0.0'), '@fake/lens-win32-x64': '2.0.0' },
  },
  'node_modules/lens/index.js':
    "const part = '@fake/lens-' + process.platform + '-' + process.arch;\nmodule.exports = (text) => require('glass') + require(part) + text;\n",
  'node_modules/lens/LICENSE': 'Copyright lens\n',
  'node_modules/glass/package.json': { name: 'glass', version: '1.0.0', license: 'MIT' },
  'node_modules/glass/index.js': "module.exports = 'glass ';\n",
  'node_modules/glass/README.md': 'glass is of sand\n',
  [`node_modules/@fake/lens-${platform}/package.json`]: {
    name: `@fake/lens-${platform}`,
    version: '2.0.0',
    license: 'LGPL-3.0-or-later',
    os: ['linux'],
    cpu: [process.arch],
  },
  [`node_modules/@fake/lens-${platform}/index.js`]: "module.exports = require('./lib/lens.node');\n",
  [`node_modules/@fake/lens-${platform}/lib/lens.node`]: 'binary',
};

const user = {
  name: '@carton/above',
  version: '1.0.0',
  type: 'module',
  exports: { '.': { 'workspace-source': './index.ts', default: './dist/index.js' } },
  dependencies: { '@carton/runtime': '1.0.0', lens: '2.0.0' },
  carton: { tier: 'growth', native: ['lens'] },
};

async function write(root: string, more: Record<string, string | object>): Promise<void> {
  for (const [path, content] of Object.entries(more)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

const find = (built: BuiltPackage[], name: string) => built.find((one) => one.name === name) as BuiltPackage;
const own = `@carton/lens-${platform}`;

t.test('a library with native code is built as a package beside the one that lists it', async (t) => {
  const root = await makeWorkspace(t);
  await write(root, {
    ...files,
    // In place of a binary, so that it can be loaded on any machine.
    [`node_modules/@fake/lens-${platform}/index.js`]:
      "module.exports = require('node:fs').readFileSync(__dirname + '/lib/lens.node', 'utf8') + ' ';\n",
    'vendor/above/package.json': user,
    'vendor/above/index.ts':
      "// @ts-ignore: it has no types.\nimport lens from 'lens';\nexport const seen: string = lens('seen');\n",
  });
  const built = await buildPackages({ root, out: await makeFolder(t), only: ['@carton/above'] });
  const { version } = find(built, own);
  t.match(version, /^2\.0\.0-parts\.d[0-9a-f]{8}$/);
  t.strictSame(
    built.map(({ name, tier }) => [name, tier]),
    [
      [own, null],
      ['@carton/above', 'growth'],
    ],
    'for the installed platform',
  );
  t.strictSame(Object.keys(await contentOf(find(built, own).tarball)).sort(), [
    'THIRD-PARTY-LICENSES.txt',
    'lib/index.cjs',
    `lib/node_modules/@fake/lens-${platform}/index.js`,
    `lib/node_modules/@fake/lens-${platform}/lib/lens.node`,
    `lib/node_modules/@fake/lens-${platform}/package.json`,
    'lib/node_modules/glass/README.md',
    'lib/node_modules/glass/index.js',
    'lib/node_modules/glass/package.json',
    'lib/node_modules/lens/LICENSE',
    'lib/node_modules/lens/index.js',
    'lib/node_modules/lens/package.json',
    'package.json',
  ]);

  const folder = await makeFolder(t);
  for (const { name, tarball } of built) await unpack(folder, name, tarball);
  const above = join(folder, 'node_modules/@carton/above');
  const { optionalDependencies, dependencies } = JSON.parse(await readFile(join(above, 'package.json'), 'utf8'));
  t.strictSame(dependencies, { '@carton/runtime': '1.0.0' });
  t.strictSame(optionalDependencies, { [own]: version }, 'no platform that is not built');
  const library = join(folder, 'node_modules', own);
  const { license, os, cpu, carton } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8'));
  t.strictSame(
    { license, os, cpu, carton },
    {
      license: 'Apache-2.0 AND LGPL-3.0-or-later AND MIT',
      os: ['linux'],
      cpu: [process.arch],
      carton: { native: true },
    },
  );
  const notices = await readFile(join(library, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const notice of ['Copyright lens', 'glass is of sand', 'LGPL-3.0-or-later']) t.match(notices, notice);

  const script = "import { seen } from '@carton/above'; console.log(seen)";
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
  });
  t.equal(stdout, 'glass binary seen\n');
});

t.test('a library for all platforms is built once, and the module is loaded that is listed', async (t) => {
  const root = await makeWorkspace(t);
  await write(root, {
    'node_modules/mirror/package.json': { name: 'mirror', version: '1.0.0', license: 'LGPL-3.0', main: 'index.js' },
    'node_modules/mirror/index.js': "throw new Error('another module');\n",
    'node_modules/mirror/wasm.js': "module.exports = (text) => 'mirrored ' + text;\n",
    'node_modules/mirror/LICENSE': 'GNU LESSER GENERAL PUBLIC LICENSE\n',
    'vendor/above/package.json': {
      ...user,
      dependencies: { '@carton/runtime': '1.0.0', mirror: '1.0.0' },
      carton: { tier: 'growth', native: ['mirror/wasm.js'] },
    },
    'vendor/above/index.ts':
      "// @ts-ignore: it has no types.\nimport mirror from 'mirror/wasm.js';\nexport const seen: string = mirror('seen');\n",
  });
  const built = await buildPackages({ root, out: await makeFolder(t), only: ['@carton/above'] });
  const name = '@carton/mirror-any';
  t.strictSame(
    built.map(({ name }) => name),
    [name, '@carton/above'],
  );
  const folder = await makeFolder(t);
  for (const { name, tarball } of built) await unpack(folder, name, tarball);
  const library = join(folder, 'node_modules', name);
  const { license, os } = JSON.parse(await readFile(join(library, 'package.json'), 'utf8'));
  t.strictSame([license, os], ['LGPL-3.0', undefined]);
  t.match(await readFile(join(library, 'THIRD-PARTY-LICENSES.txt'), 'utf8'), 'GNU LESSER GENERAL PUBLIC LICENSE');
  const script = "import { seen } from '@carton/above'; console.log(seen)";
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    cwd: folder,
  });
  t.equal(stdout, 'mirrored seen\n');
});

t.test('a library that may not be redistributed or is not installed fails the build', async (t) => {
  const rows: [message: RegExp, more: Record<string, string | object>][] = [
    [
      /glass 1\.0\.0 \(GPL-3\.0-only\) may not be redistributed with lens/,
      { 'node_modules/glass/package.json': { name: 'glass', version: '1.0.0', license: 'GPL-3.0-only' } },
    ],
    [
      /@carton\/above lists the native library prism, which is not installed/,
      { 'vendor/above/package.json': { ...user, carton: { tier: 'growth', native: ['prism'] } } },
    ],
  ];
  for (const [message, more] of rows) {
    const root = await makeWorkspace(t);
    await write(root, { ...files, 'vendor/above/package.json': user, ...more });
    await t.rejects(buildPackages({ root, out: await makeFolder(t), only: ['@carton/above'] }), message);
  }
});
