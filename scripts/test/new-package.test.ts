/**
 * A package that `npm run new` creates passes the checks of the code and the contract suite, in a checkout of its own.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createTestBox, sourceRoot } from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import t from 'tap';
import { vendor } from '../../runtime/vendor.ts';
import { namesOf, nextTimestamp, replaceWords, writeNewPackage } from '../new/package.ts';

const root = dirname(sourceRoot);
const checkout = await mkdtemp(join(tmpdir(), 'new-package-'));
t.teardown(() => rm(checkout, { recursive: true, force: true }));
const scope = join(checkout, 'node_modules', vendor.scope);
await mkdir(join(checkout, 'vendor'));
await mkdir(scope, { recursive: true });
for (const name of await readdir(join(root, 'node_modules', vendor.scope))) {
  await symlink(await realpath(join(root, 'node_modules', vendor.scope, name)), join(scope, name));
}
for (const name of ['tap', 'typescript', '@types']) {
  await symlink(join(root, 'node_modules', name), join(checkout, 'node_modules', name));
}
await symlink(join(checkout, 'vendor/gift-box'), join(scope, 'gift-box'));
await writeFile(join(checkout, 'package.json'), '{ "type": "module" }');
for (const name of ['biome.json', '.gitignore', 'scripts/lint']) {
  await cp(join(root, name), join(checkout, name), { recursive: true });
}
await writeFile(
  join(checkout, 'tsconfig.json'),
  JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['vendor'] }),
);
/** Runs a tool in the checkout, without the modules that the test runner preloads. */
const run = (tool: string) =>
  promisify(execFile)('/bin/sh', ['-c', `NODE_OPTIONS= exec ${join(root, 'node_modules/.bin')}/${tool}`], {
    cwd: checkout,
  }).catch(({ stdout, stderr }) => t.fail(`${stdout}${stderr}`));

const names = namesOf('gift-box');
const files = await writeNewPackage(checkout, {
  names,
  tier: 'basic',
  version: vendor.version,
  timestamp: await nextTimestamp(root),
});
const { packages, packagesFrom } = {
  packages: ['core', 'auth', 'tenant', 'gift-box'].map((name) => `${vendor.scope}/${name}`),
  packagesFrom: join(checkout, 'package.json'),
};

t.test('the nouns of the template are replaced', async (t) => {
  t.strictSame(namesOf('gift-box'), { package: 'gift-box', noun: 'gift box', nouns: 'gift boxes' });
  t.equal(namesOf('reply').nouns, 'replies');
  t.equal(namesOf('person', 'people').nouns, 'people');
  const template = ["path: '/admin/things',", "  noun: 'thing',", ' * Rules of things.', 'const things = 1;'];
  t.strictSame(replaceWords(template.join('\n'), names).split('\n'), [
    "path: '/admin/gift-boxes',",
    "  noun: 'gift box',",
    ' * Rules of gift boxes.',
    'const giftBoxes = 1;',
  ]);
  t.strictSame(
    replaceWords(template.join('\n'), namesOf('play-thing')).split('\n'),
    ["path: '/admin/play-things',", "  noun: 'play thing',", ' * Rules of play things.', 'const playThings = 1;'],
    'also by nouns that contain that of the template',
  );
  t.strictSame(
    files.map((file) => file.replace(/\d{14}/, '<time>')),
    [
      'vendor/gift-box/README.md',
      'vendor/gift-box/events.ts',
      'vendor/gift-box/index.ts',
      'vendor/gift-box/migrations/<time>_gift_box_create_gift_boxes.js',
      'vendor/gift-box/package.json',
      'vendor/gift-box/routes.ts',
      'vendor/gift-box/schemas.ts',
      'vendor/gift-box/service.ts',
      'vendor/gift-box/store.ts',
      'vendor/gift-box/test/gift-boxes.test.ts',
    ],
  );
  for (const file of files) t.notMatch(await readFile(join(checkout, file), 'utf8'), /thing/i, file);
});

t.test('it passes the checks of the code', async (t) => {
  await run('tsc --noEmit');
  await run('biome lint vendor');
  await t.rejects(writeNewPackage(checkout, { names, tier: 'basic', version: '1', timestamp: '2' }), {
    code: 'EEXIST',
  });
});

t.test('a box serves it, and it passes the contract suite', async (t) => {
  const box = await createTestBox(t, { packages, packagesFrom, tier: 'basic' });
  const target = await boxTarget(box, (task) => t.teardown(task));
  const declarations = target.declarations.filter(({ operationId }) => /Gift/.test(operationId));
  t.strictSame(
    declarations.map(({ operationId }) => operationId),
    ['listGiftBoxes', 'createGiftBox', 'readGiftBox', 'updateGiftBox', 'deleteGiftBox'],
  );
  // The other packages are checked where all are.
  const result = await checkContract({ ...target, declarations });
  for (const line of summaryOf(result)) t.comment(line);
  t.strictSame(result.failures, []);
  t.strictSame(result.neverSucceeded, []);
});
