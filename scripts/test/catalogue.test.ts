/**
 * The package catalogue: it is what the packages say, and the check notices when it is not.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Catalogue, CataloguePackage } from '../../control-plane/catalogue/catalogue.ts';

const script = fileURLToPath(new URL('../catalogue.ts', import.meta.url));
const kept = fileURLToPath(new URL('../../control-plane/catalogue/catalogue.json', import.meta.url));
const run = (...words: string[]) =>
  spawnSync(process.execPath, ['--conditions=workspace-source', script, ...words], { encoding: 'utf8' });

t.test('the catalogue in the tree is what the packages say', async (t) => {
  const { status, stderr } = run('--check');
  t.equal(stderr, '');
  t.equal(status, 0);
});

t.test('made anew it is the same, byte for byte', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'catalogue.json');
  t.equal(run(file).status, 0);
  const [made, before] = await Promise.all([file, kept].map((path) => readFile(path, 'utf8')));
  t.equal(made, before);
});

t.test('whatever differs is named, and the check exits 1', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const core = ({ packages }: Catalogue) => packages.find(({ name }) => name.endsWith('/core')) as CataloguePackage;
  const cases: [change: (catalogue: Catalogue) => void, line: RegExp][] = [
    [(made) => made.packages.splice(made.packages.indexOf(core(made)), 1), /core is missing from the catalogue/],
    [(made) => made.packages.push({ ...core(made), name: '@x/lost' }), /@x\/lost is in the catalogue and no package/],
    [(made) => (core(made).tier = 'growth'), /core: its tier changed/],
    [(made) => (core(made).dependencies = ['@x/lost']), /core: its dependencies changed/],
    [(made) => core(made).migrations.pop(), /core: its migrations changed/],
    [(made) => core(made).routes.shift(), /core: GET \/store is mounted and not in the catalogue/],
    [
      (made) => core(made).routes.push({ method: 'get', path: '/lost', operationId: 'readLost', access: ['public'] }),
      /core: GET \/lost is in the catalogue and not mounted/,
    ],
    [(made) => (core(made).routes[0] = { ...core(made).routes[0], access: ['staff'] } as never), /GET \/store changed/],
    [(made) => core(made).routes.reverse(), /core: its routes stand in another order/],
  ];
  const file = join(folder, 'catalogue.json');
  for (const [change, line] of cases) {
    const changed = JSON.parse(await readFile(kept, 'utf8'));
    change(changed);
    await writeFile(file, JSON.stringify(changed));
    const { status, stderr } = run('--check', file);
    t.equal(status, 1);
    t.match(stderr, line);
    t.match(stderr, /^the catalogue is not up to date; run npm run catalogue\n/);
  }
});
