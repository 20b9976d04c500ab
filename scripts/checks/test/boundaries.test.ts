/**
 * The boundaries between modules (`.dependency-cruiser.mjs`): `npm run check` fails for an import through any of them.
 * Tested in a small tree with the same folders, with the command of package.json.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';
import { isChecked } from '../checks.ts';

const root = dirname(sourceRoot);
const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

const exported = (...names: string[]) =>
  JSON.stringify({
    type: 'module',
    exports: Object.fromEntries(names.map((name) => [name, { 'workspace-source': `${name}/index.ts` }])),
  });

/** Every kind of module, each with allowed imports. */
const allowed: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'knexfile.ts': "import '@carton/runtime/testing';\n",
  'runtime/package.json': exported('.', './delivery', './testing'),
  'runtime/delivery/index.ts': '',
  'runtime/index.ts': "import './db/pool.ts';\nimport './box/box.ts';\n",
  'runtime/vendor.ts': "import './package.json' with { type: 'json' };\n",
  'runtime/start-box.ts': "import './box/box.ts';\n",
  'runtime/http/route.ts': "import '../vendor.ts';\n",
  'runtime/http/problems.ts': '',
  'runtime/http/two.ts': "import type { One } from './one.ts';\n",
  'runtime/http/one.ts': '',
  'runtime/db/pool.ts': "import { setTimeout } from 'node:timers';\nimport './citus/detect.ts';\n",
  'runtime/db/citus/detect.ts': '',
  'runtime/db/test/pool.test.ts': "import '../../http/route.ts';\nimport '../../testing/index.ts';\n",
  'runtime/box/box.ts': "import type { Pool } from '../db/pool.ts';\nimport '../http/route.ts';\n",
  'runtime/testing/index.ts': "import '../start-box.ts';\n",
  'vendor/cart/package.json': exported('.', './testing'),
  'vendor/cart/index.ts': "import '@carton/runtime';\nimport './store.ts';\n",
  'vendor/cart/store.ts': '',
  'vendor/cart/testing/index.ts': "import '@carton/cart';\n",
  'vendor/order/index.ts': "import '@carton/cart';\nimport './routes/admin.ts';\n",
  'vendor/order/routes/admin.ts': '',
  'vendor/order/test/order.test.ts': "import '@carton/cart/testing';\nimport '@carton/runtime/testing';\n",
  'examples/pay/index.ts': "import '@carton/cart';\nimport '@carton/runtime';\nimport './adapter.ts';\n",
  'examples/pay/adapter.ts': "import 'node:crypto';\n",
  'examples/pay/test/pay.test.ts': "import '@carton/cart/testing';\nimport '@carton/runtime/testing';\n",
  'durable-files/index.ts': "import 'node:fs/promises';\n",
  'control-plane/start-control-plane.ts': "import '@carton/runtime';\nimport './license/service.ts';\n",
  'control-plane/license/service.ts': '',
  'control-plane/registry/gate.ts': "import '@carton/runtime/delivery';\n",
  'installer/cli.ts': "import './box/folder.ts';\n",
  'installer/box/folder.ts': '',
  'tools/load/tenant.ts': "import '@carton/runtime/testing';\n",
  'scripts/commands/start.ts': "import '../../tools/load/tenant.ts';\nimport '../../runtime/box/box.ts';\n",
  'scripts/test/support.ts': '',
  'bench/run.ts': "import '../tools/load/tenant.ts';\n",
  'installer/box/file.ts': "import '@carton/durable-files';\n",
  'rigs/run.ts': "import '../tools/load/tenant.ts';\nimport './crash/rig.ts';\n",
  'rigs/crash/rig.ts': "import './kills.ts';\nimport '../support/box.ts';\n",
  'rigs/crash/kills.ts': '',
  'rigs/tier/rig.ts': "import '../crash/rig.ts';\n",
  'rigs/support/box.ts': '',
  'shipped/run.ts': "import '../tools/load/tenant.ts';\n",
};

/** An import through each boundary: the boundary, the file, the statement and its target. */
const forbidden: [boundary: string, file: string, statement: string, target: string][] = [
  ['no-circle', 'runtime/http/one.ts', "import './two.ts';", 'runtime/http/two.ts'],
  ['runtime/db', 'runtime/db/query.ts', "import { Problem } from '../http/problems.ts';", 'runtime/http/problems.ts'],
  ['runtime/db', 'runtime/db/row.ts', "import type { R } from '../http/route.ts';", 'runtime/http/route.ts'],
  ['runtime/db', 'runtime/db/late.ts', "await import('../http/route.ts');", 'runtime/http/route.ts'],
  ['runtime/db', 'runtime/db/citus/types.ts', "export * from '../../http/route.ts';", 'runtime/http/route.ts'],
  ['runtime/http', 'runtime/http/who.ts', "import '../box/box.ts';", 'runtime/box/box.ts'],
  ['runtime/box', 'runtime/box/start.ts', "import '../start-box.ts';", 'runtime/start-box.ts'],
  ['runtime-module-unknown', 'runtime/attic/old.ts', "import '../vendor.ts';", 'runtime/vendor.ts'],
  [
    'control-plane/license',
    'control-plane/license/start.ts',
    "import '../start-control-plane.ts';",
    'control-plane/start-control-plane.ts',
  ],
  ['installer/box', 'installer/box/again.ts', "import '../cli.ts';", 'installer/cli.ts'],
  ['durable-files-first', 'durable-files/box.ts', "import '../runtime/vendor.ts';", 'runtime/vendor.ts'],
  [
    'durable-files-by-no-path',
    'runtime/db/file.ts',
    "import '../../durable-files/index.ts';",
    'durable-files/index.ts',
  ],
  ['engine-first', 'runtime/box/cart.ts', "import '@carton/cart';", 'vendor/cart/index.ts'],
  ['engine-by-its-names', 'control-plane/boxes/deep.ts', "import '../../runtime/box/box.ts';", 'runtime/box/box.ts'],
  ['engine-by-no-path', 'control-plane/boxes/deep.ts', '', 'runtime/box/box.ts'],
  ['engine-by-no-path', 'vendor/cart/test/path.ts', "import '../../../runtime/index.ts';", 'runtime/index.ts'],
  ['packages-by-their-index', 'vendor/order/sum.ts', "import '../cart/store.ts';", 'vendor/cart/store.ts'],
  ['packages-by-no-path', 'vendor/order/sum.ts', '', 'vendor/cart/store.ts'],
  ['packages-by-no-path', 'vendor/order/test/path.ts', "import '../../cart/index.ts';", 'vendor/cart/index.ts'],
  ['examples-as-partners', 'examples/pay/deep.ts', "import '../../vendor/cart/store.ts';", 'vendor/cart/store.ts'],
  ['examples-by-no-path', 'examples/pay/deep.ts', '', 'vendor/cart/store.ts'],
  ['examples-for-nobody', 'tools/pay.ts', "import '../examples/pay/index.ts';", 'examples/pay/index.ts'],
  ['services-apart', 'control-plane/boxes/cart.ts', "import '@carton/cart';", 'vendor/cart/index.ts'],
  ['installer-alone', 'installer/pull/engine.ts', "import '@carton/runtime';", 'runtime/index.ts'],
  [
    'registry-alone',
    'control-plane/registry/up.ts',
    "import '../license/service.ts';",
    'control-plane/license/service.ts',
  ],
  ['registry-alone', 'control-plane/registry/engine.ts', "import '@carton/runtime';", 'runtime/index.ts'],
  ['control-plane/registry', 'control-plane/registry/up.ts', '', 'control-plane/license/service.ts'],
  ['tools-apart', 'scripts/bench.ts', "import '../bench/run.ts';", 'bench/run.ts'],
  ['tools-apart', 'bench/scripts.ts', "import '../scripts/commands/start.ts';", 'scripts/commands/start.ts'],
  ['tools-apart', 'rigs/bench.ts', "import '../bench/run.ts';", 'bench/run.ts'],
  ['tools-apart', 'tools/rigs.ts', "import '../rigs/run.ts';", 'rigs/run.ts'],
  ['tools-apart', 'shipped/rigs.ts', "import '../rigs/run.ts';", 'rigs/run.ts'],
  ['rigs-apart', 'rigs/mails/rig.ts', "import '../crash/kills.ts';", 'rigs/crash/kills.ts'],
  ['rigs-apart', 'rigs/support/books.ts', "import '../crash/kills.ts';", 'rigs/crash/kills.ts'],
  ['routes-for-the-index', 'vendor/order/sums.ts', "import './routes/admin.ts';", 'vendor/order/routes/admin.ts'],
  ['product-alone', 'vendor/cart/load.ts', "import '../../tools/load/tenant.ts';", 'tools/load/tenant.ts'],
  ['testing-for-tests', 'vendor/cart/service.ts', "import '@carton/runtime/testing';", 'runtime/testing/index.ts'],
  ['testing-for-tests', 'vendor/cart/own.ts', "import './testing/index.ts';", 'vendor/cart/testing/index.ts'],
  ['tests-for-nobody', 'scripts/help.ts', "import './test/support.ts';", 'scripts/test/support.ts'],
];

const tree = await mkdtemp(join(tmpdir(), 'boundaries-'));
t.teardown(() => rm(tree, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(tree, file)), { recursive: true });
  await writeFile(join(tree, file), text);
}

/** Runs the command of package.json; returns its exit code and the rejected imports. */
async function boundaries(): Promise<{ code: number; rejected: string[] }> {
  const command = `NODE_OPTIONS= exec ${join(root, 'node_modules/.bin')}/${scripts.boundaries}`;
  const { code = 0, stdout } = await promisify(execFile)('/bin/sh', ['-c', command], { cwd: tree }).catch(
    (error) => error,
  );
  const lines = [...stdout.matchAll(/^ {2}error (\S+): (\S+) → ?\n?\s*(\S+)/gm)];
  return { code, rejected: lines.map(([, boundary, from, to]) => `${boundary}: ${from} → ${to}`).sort() };
}

for (const [file, text] of Object.entries(allowed)) await write(file, text);
await cp(join(root, '.dependency-cruiser.mjs'), join(tree, '.dependency-cruiser.mjs'));
await mkdir(join(tree, 'node_modules/@carton'), { recursive: true });
for (const [name, folder] of Object.entries({
  'durable-files': 'durable-files',
  runtime: 'runtime',
  cart: 'vendor/cart',
})) {
  await symlink(join(tree, folder), join(tree, 'node_modules/@carton', name));
}

t.test('allowed imports pass', async (t) => {
  t.strictSame(await boundaries(), { code: 0, rejected: [] });
  t.ok(isChecked('npm run -s boundaries'), 'and is part of the check');
});

t.test('an import through a boundary is rejected with its name', async (t) => {
  for (const [, file, statement] of forbidden) if (statement) await write(file, `${statement}\n`);
  const ended = await boundaries();
  t.not(ended.code, 0);
  const expected = forbidden.map(([boundary, file, , target]) => `${boundary}: ${file} → ${target}`);
  t.strictSame(ended.rejected, expected.sort());
});

t.test('a type import that the boundaries cannot see is rejected', async (t) => {
  await cp(join(root, 'scripts/checks/lint'), join(tree, 'scripts/checks/lint'), { recursive: true });
  const { plugins } = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'));
  await write('biome.json', JSON.stringify({ plugins, linter: { rules: { recommended: false } } }));
  await write(
    'runtime/db/types.ts',
    [
      "export type Whole = typeof import('../http/route.ts');",
      "export type One = import('../http/route.ts').Route;",
      "export const loaded = import('../http/route.ts');",
    ].join('\n'),
  );
  const lint = promisify(execFile)(
    join(root, 'node_modules/.bin/biome'),
    ['lint', '--colors=off', 'runtime/db/types.ts'],
    { cwd: tree },
  );
  const { stdout, stderr } = await lint.catch((error) => error);
  t.strictSame(
    [...`${stdout}${stderr}`.matchAll(/^(\S+):(\d+):\d+ plugin/gm)].map(([, file, line]) => `${file}:${line}`),
    ['runtime/db/types.ts:1', 'runtime/db/types.ts:2'],
  );
});
