/**
 * The picture of the modules shows each of them and what it may import, and a document describes every module.
 */
import t from 'tap';
import { layOut } from '../layers.ts';
import { modulesPicture, undescribedModules } from '../modules.ts';

const modules = {
  base: [],
  http: ['base'],
  db: ['base'],
  box: ['base', 'http', 'db'],
  far: ['base'],
  'main.ts': 'all',
};

t.test('each module is above those it may import, with a line to those that no other line implies', async (t) => {
  const { 'main.ts': _, ...limited } = modules;
  const layers = layOut(new Map(Object.entries(limited)), () => 60, 20);
  const names = layers.map((layer) =>
    layer
      .filter(({ isWaypoint }) => !isWaypoint)
      .map(({ name }) => name)
      .sort(),
  );
  t.strictSame(names, [['base'], ['db', 'far', 'http'], ['box']]);
  const [, , [box]] = layers as [unknown, unknown, [(typeof layers)[number][number]]];
  t.strictSame(box.below.map(({ name }) => name).sort(), ['db', 'http']);
  for (const layer of layers) {
    for (const [index, node] of layer.entries()) {
      const previous = layer[index - 1];
      if (previous) t.ok(node.x - previous.x >= 80 - 1e-9, `${previous.name} and ${node.name} do not overlap`);
    }
  }
});

t.test('a line passes the layers between two modules', async (t) => {
  const layers = layOut(new Map(Object.entries({ a: [], b: ['a'], c: ['b'], z: [], d: ['c', 'z'] })), () => 60, 20);
  const waypoints = layers.flat().filter(({ isWaypoint }) => isWaypoint);
  t.strictSame(
    waypoints.map(({ name, layer, below }) => [name, layer, below.map((node) => node.name)]),
    [
      ['d', 1, ['z']],
      ['d', 2, ['d']],
    ],
  );
});

t.test('the picture names all modules', async (t) => {
  const picture = modulesPicture('lib', modules);
  const names = [...picture.matchAll(/<text[^>]*fill="#1c2733">([^<]+)</g)].map(([, name]) => name);
  t.strictSame(names.sort(), Object.keys(modules).sort());
  t.equal(picture.match(/<path /g)?.length, 5, 'and has a line for each import that is not implied');
});

t.test('a module without a description is found', async (t) => {
  const document =
    '## All\n\n### `lib/`\n\n| `base` | `http`, `db` | `main.ts` |\n\n### `other/`\n\n| `far` | `box` |\n';
  t.strictSame(undescribedModules(document, 'lib', modules), ['box', 'far']);
  t.strictSame(undescribedModules(document, 'none', modules), Object.keys(modules));
});
