/**
 * Packages that `npm run new` creates, with each option and with all, pass the checks of the code, their own tests and the
 * contract suite, in a checkout of their own.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { createTestBox, sourceRoot } from '@carton/runtime/testing';
import { boxTarget, checkContract, summaryOf } from '@carton/runtime/testing/contract';
import { checkPlans, lineOf } from '@carton/runtime/testing/plans';
import t from 'tap';
import { vendor } from '../../../runtime/vendor.ts';
import { faultsOf, readTables } from '../../checks/shape/rules.ts';
import { readGlossary } from '../../checks/words/glossary.ts';
import { findAvoidedWords } from '../../checks/words/matches.ts';
import { faultOfField, faultOfTable, namesOf, singularOf } from '../names.ts';
import { nextTimestamp, writeNewPackage } from '../package.ts';

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
await writeFile(join(checkout, 'package.json'), '{ "type": "module" }');
for (const name of ['biome.json', '.gitignore', 'scripts/checks/lint']) {
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

const none = { shopper: false, filter: null, sort: null, search: false, extensionPoint: false };
/** The package with every option has two words and contains the words of others. */
const made = [
  { names: namesOf('gift-box'), parts: none },
  { names: namesOf('person', 'people'), parts: { ...none, shopper: true } },
  { names: namesOf('story'), parts: { ...none, filter: 'mood' } },
  { names: namesOf('shelf', 'shelves'), parts: { ...none, sort: 'sortOrder' } },
  { names: namesOf('title'), parts: { ...none, extensionPoint: true } },
  { names: namesOf('song'), parts: { ...none, search: true } },
  { names: namesOf('book-club'), parts: { ...none, shopper: true, search: true, extensionPoint: true } },
  { names: namesOf('film'), parts: { ...none, filter: 'genre', search: true } },
  { names: namesOf('poem'), parts: { ...none, sort: 'length', search: true } },
  {
    names: namesOf('noun-item'),
    parts: { shopper: true, filter: 'itemKind', sort: 'place', search: true, extensionPoint: true },
  },
];
const first = Number(await nextTimestamp(root));
const written = new Map<string, string[]>();
for (const [index, { names, parts }] of made.entries()) {
  await symlink(join(checkout, 'vendor', names.package), join(scope, names.package));
  const options = { names, parts, tier: 'basic', version: vendor.version, timestamp: String(first + index) } as const;
  written.set(names.package, await writeNewPackage(checkout, options));
}
await run('biome check --write vendor');

t.test('nouns, and the files of the smallest package', async (t) => {
  t.match(namesOf('gift-box'), { noun: 'gift box', nouns: 'gift boxes', Items: 'GiftBoxes', table: 'gift_boxes' });
  t.equal(namesOf('reply').nouns, 'replies');
  t.match(namesOf('person', 'people'), { nouns: 'people', irregular: true });
  t.strictSame(
    written.get('gift-box')?.map((file) => file.replace(/\d{14}/, '<time>')),
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
});

t.test('names that cannot be used', async (t) => {
  const tables = readTables(root);
  t.equal(faultOfTable('regions', tables), 'region has a table regions already');
  t.equal(faultOfTable('references', tables), 'the table references would have a reserved word of SQL as its name');
  t.equal(faultOfField('title', tables), 'a package has title already');
  t.equal(faultOfField('order', tables), 'the column order would have a reserved word of SQL as its name');
  t.equal(faultOfField('Sort-order', tables), 'Sort-order is not a valid field name: write sortOrder');
  t.equal(faultOfField('regions', tables), 'the column regions would have the name of a table');
  t.equal(faultOfField('sortOrder', tables), null);
});

t.test('they pass the checks of the code', async (t) => {
  await run('tsc --noEmit');
  await run('biome check vendor');
  const tables = readTables(checkout);
  const { avoided } = readGlossary(await readFile(join(root, 'docs/glossary.md'), 'utf8'));
  for (const [name, files] of written) {
    t.strictSame(await faultsOf(checkout, name, tables), [], `the shape of ${name}`);
    for (const file of files) {
      t.strictSame(findAvoidedWords(await readFile(join(checkout, file), 'utf8'), avoided, file), [], file);
    }
  }
  const again = { ...made[0], tier: 'basic', version: '1', timestamp: '2' } as Parameters<typeof writeNewPackage>[1];
  await t.rejects(writeNewPackage(checkout, again), { code: 'EEXIST' });
});

const packagesFrom = join(checkout, 'package.json');

t.test('their own tests pass', async (t) => {
  for (const { names } of made) {
    const file = join(checkout, 'vendor', names.package, 'test', `${names.path}.test.ts`);
    const text = await readFile(file, 'utf8');
    // Outside of a checkout the packages are found beside the new ones.
    const found = text.replace("tier: 'basic' }", `tier: 'basic', packagesFrom: '${packagesFrom}' }`);
    t.not(found, text);
    await writeFile(file, found);
    await run(`node --conditions=workspace-source ${file}`);
  }
});

t.test('a box serves them: the contract suite, and lists that read only their page', async (t) => {
  // What these have, another has with more options; each takes seconds.
  const served = made.filter(({ names }) => !['story', 'shelf', 'title', 'film', 'poem'].includes(names.package));
  const packages = ['core', 'auth', 'tenant', ...served.map(({ names }) => names.package)].map(
    (name) => `${vendor.scope}/${name}`,
  );
  const box = await createTestBox(t, { packages, packagesFrom, tier: 'basic' });
  const target = await boxTarget(box, (task) => t.teardown(task));
  const declarations = target.declarations.filter(({ path }) =>
    served.some(({ names }) => path.replace('/admin', '').split('/')[1] === names.path),
  );
  const named = (word: RegExp) =>
    declarations.map(({ operationId }) => operationId).filter((operationId) => word.test(operationId));
  t.strictSame(named(/Gift/), ['listGiftBoxes', 'createGiftBox', 'readGiftBox', 'updateGiftBox', 'deleteGiftBox']);
  t.strictSame(named(/Person|People/), [
    'listPeople',
    'readPerson',
    'listAdminPeople',
    'createPerson',
    'readAdminPerson',
    'updatePerson',
    'deletePerson',
  ]);
  for (const { names, parts } of served) {
    for (const title of ['One', 'Two', 'Three']) {
      const filtered = parts.filter ? { [parts.filter]: title } : {};
      const body = { title, ...filtered, ...(parts.shopper && { published: true }) };
      t.match(await box.staff.post(`/admin/${names.path}`, body), { status: 201 });
    }
  }
  // The other packages are checked where all are.
  const result = await checkContract({ ...target, declarations });
  for (const line of summaryOf(result)) t.comment(line);
  t.strictSame(result.failures, []);
  t.strictSame(result.neverSucceeded, []);

  const { findings } = await checkPlans(box, { tenant: box, copies: 1200 });
  const own = findings.filter(({ operationId }) => declarations.some((each) => each.operationId === operationId));
  t.ok(own.some(({ query }) => 'itemKind' in query));
  t.ok(own.some(({ query }) => 'sort' in query));
  for (const operationId of ['listSongs', 'listBookClubs', 'listAdminBookClubs', 'listNounItems']) {
    t.ok(
      own.some((finding) => finding.operationId === operationId && 'q' in finding.query),
      operationId,
    );
  }
  t.ok(own.some(({ query }) => 'q' in query && 'itemKind' in query));
  t.strictSame(own.filter(({ fails }) => fails).map(lineOf), []);
});

t.test('names that look like plurals are known', async (t) => {
  const singulars = ['wishlist-notes', 'stories', 'gift-boxes', 'gift-box', 'story', 'address', 'class'].map(
    singularOf,
  );
  t.strictSame(singulars, ['wishlist-note', 'story', 'gift-box', null, null, null, null]);
});
