/**
 * `npm run check` fails for dependencies that are used and not declared, or declared and not used: tested in a small
 * project, with the command of package.json.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { namesOf } from '../../new-package/names.ts';
import { writeNewPackage } from '../../new-package/package.ts';
import { isChecked } from '../checks.ts';

const root = dirname(sourceRoot);
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const manifest = (name: string, dependencies: string[], devDependencies: string[] = []) => {
  const versions = (names: string[]) => Object.fromEntries(names.map((each) => [each, '1.0.0']));
  return JSON.stringify({ name, dependencies: versions(dependencies), devDependencies: versions(devDependencies) });
};
const rootManifest = (...devDependencies: string[]) =>
  JSON.stringify({
    ...JSON.parse(manifest('project', [], ['@types/node', 'lint', 'pg', 'tap', ...devDependencies])),
    workspaces: ['runtime', 'vendor/*', 'scripts/tools'],
    scripts: { check: 'lint-all .' },
  });

/** In pieces, since the command checks this file too. */
const resolved = ".resolve('explorer/package.json');";

/** A project in which everything is declared as it is used. */
const compliant: Record<string, string> = {
  'package.json': rootManifest(),
  'tsconfig.json': '{ "include": ["runtime", "vendor", "scripts"] }',
  'node_modules/lint/package.json': '{ "bin": { "lint-all": "lint.js" } }',
  'scripts/commands/start.ts': "import pg from 'pg';\nimport '@carton/region';\n",
  'scripts/tools/package.json': manifest('tools', [], ['client-maker']),
  'node_modules/client-maker/package.json': '{ "bin": { "make-client": "make.js" } }',
  'runtime/package.json': manifest('@carton/runtime', ['koa', 'explorer'], ['@types/koa']),
  'runtime/index.ts': [
    "import type Koa from 'koa';",
    "import { createRequire } from 'node:module';",
    `export const explorer = createRequire(import.meta.url)${resolved}`,
    'export type App = Koa;',
  ].join('\n'),
  'runtime/test/index.test.ts': "import 'tap';\nimport '@carton/runtime';\nrun('make-client');\n",
  'vendor/core/package.json': manifest('@carton/core', ['@carton/runtime']),
  'vendor/core/index.ts': "export * from '@carton/runtime';\n",
  'vendor/core/migrations/1_core.js': 'export const up = (knex) => knex.raw(`create table tenants (id uuid)`);\n',
  'vendor/region/package.json': manifest(
    '@carton/region',
    ['@carton/core', '@carton/runtime'],
    ['@types/names__packet', '@names/packet'],
  ),
  'vendor/region/index.ts': "const { load } = await import('@carton/runtime/service');\n",
  'vendor/region/testing/index.ts': "import '@names/packet';\n",
  'vendor/region/migrations/2_region.js':
    'export const up = (knex) => knex.raw(`create table regions (tenant_id uuid references tenants (id))`);\n',
  'vendor/order/package.json': manifest('@carton/order', ['@carton/region', 'ajv']),
  'vendor/order/migrations/4_order.js':
    'export const up = (knex) => knex.raw(`create table orders (region_id uuid references regions)`);\n',
  'vendor/region/test/migrations/5_test.js':
    'export const up = (knex) => knex.raw(`create table notes (order_id uuid references orders)`);\n',
  'vendor/order/index.ts': "import type { Region } from '@carton/region';\nimport Ajv from 'ajv/dist/2020.js';\n",
};

/** Violations: the file, its text, and the expected messages. */
const violations: [file: string, text: string, ...faults: string[]][] = [
  [
    'package.json',
    rootManifest('@types/koa', '@types/left', 'left'),
    'package.json: @types/left is in devDependencies, and nothing uses it',
    'package.json: left is in devDependencies, and nothing uses it',
  ],
  ['node_modules/left/package.json', '{ "bin": { "leave": "leave.js" } }'],
  ['scripts/own.ts', "import 'yaml';", 'package.json: yaml is not in dependencies, and scripts/own.ts uses it'],
  [
    'scripts/tools/package.json',
    manifest('tools', [], ['client-maker', 'left']),
    'scripts/tools/package.json: left is in devDependencies, and nothing uses it',
  ],
  [
    'runtime/package.json',
    manifest('@carton/runtime', ['koa', 'explorer', 'left', '@names/packet'], ['@types/koa', '@types/left', 'right']),
    'runtime/package.json: @names/packet is in dependencies, and only tests use it',
    'runtime/package.json: @types/left is in devDependencies, and nothing uses it',
    'runtime/package.json: left is in dependencies, and nothing uses it',
    'runtime/package.json: right is in devDependencies, and nothing uses it',
  ],
  ['runtime/test/packet.test.ts', "import '@names/packet';"],
  [
    'vendor/core/migrations/3_core.js',
    'export const up = (knex) => knex.raw(`insert into regions (id) select id from tenants`);',
    'vendor/core/package.json: @carton/region is not in dependencies, and vendor/core/migrations/3_core.js uses it',
  ],
  [
    'vendor/region/package.json',
    manifest('@carton/region', ['@carton/core', '@carton/runtime', '@carton/order'], ['@names/packet', 'zod']),
    'vendor/region/package.json: @carton/order is in dependencies, and nothing uses it',
    'vendor/region/package.json: zod is in devDependencies, and nothing uses it',
  ],
  [
    'vendor/order/package.json',
    manifest('@carton/order', ['@carton/region', 'ajv'], ['zod']),
    'vendor/order/package.json: zod is not in dependencies, and vendor/order/zod.ts uses it',
  ],
  ['vendor/order/zod.ts', "export { z } from 'zod';"],
  [
    'vendor/order/types.ts',
    "import type { Tenant } from '@carton/core';",
    'vendor/order/package.json: @carton/core is not in dependencies, and vendor/order/types.ts uses it',
  ],
  [
    'vendor/order/late.ts',
    "await import('pg/lib/index.js');",
    'vendor/order/package.json: pg is not in dependencies, and vendor/order/late.ts uses it',
  ],
  [
    'vendor/order/found.ts',
    `import.meta${resolved}`,
    'vendor/order/package.json: explorer is not in dependencies, and vendor/order/found.ts uses it',
  ],
  [
    'vendor/order/test/order.test.ts',
    "import 'undici';\nimport 'pg';\nimport 'tap';",
    'vendor/order/package.json: undici is not in devDependencies, and vendor/order/test/order.test.ts uses it',
  ],
];

const project = await mkdtemp(join(tmpdir(), 'declared-'));
t.teardown(() => rm(project, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, file)), { recursive: true });
  await writeFile(join(project, file), text);
}

/** Runs the command of package.json; returns its exit code and messages. */
async function check(): Promise<{ code: number; faults: string[] }> {
  const command = `NODE_OPTIONS= PATH=${join(root, 'node_modules/.bin')}:$PATH exec ${scripts.declared} ${project}`;
  const run = promisify(execFile)('/bin/sh', ['-c', command], { cwd: root });
  const { code = 0, stderr } = await run.catch((error) => error);
  return {
    code,
    faults: [...stderr.matchAll(/^ {2}(\S+package\.json: .*|package\.json: .*)$/gm)].map(([, fault]) => fault).sort(),
  };
}

for (const [file, text] of Object.entries(compliant)) await write(file, text);

t.test('a compliant project passes', async (t) => {
  t.strictSame(await check(), { code: 0, faults: [] });
  t.ok(isChecked('npm run -s declared'), 'and is part of the check');
});

t.test('so does a package created by npm run new', async (t) => {
  const parts = { shopper: true, filter: 'kind', sort: 'position', search: true, extensionPoint: true };
  await writeNewPackage(project, {
    names: namesOf('gift-box'),
    parts,
    tier: 'basic',
    version: '1.0.0',
    timestamp: '20260101000000',
  });
  t.strictSame(await check(), { code: 0, faults: [] });
});

t.test('each violation is reported', async (t) => {
  for (const [file, text] of violations) await write(file, text);
  const ended = await check();
  t.not(ended.code, 0);
  t.strictSame(ended.faults, violations.flatMap(([, , ...faults]) => faults).sort());
});
