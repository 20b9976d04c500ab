/**
 * The list of what packages export, of a checkout with an engine and two packages; and the rule that each name has a user.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { readWorkspace } from '../../../tools/packages/sources.ts';
import { withExports } from '../declared.ts';
import { type Kept, sourcesOfUsers, unusedExports } from '../export-users.ts';
import { exportsTexts } from '../exports.ts';

const manifest = (name: string) =>
  JSON.stringify({
    name: `@carton/${name}`,
    version: '1.0.0',
    type: 'module',
    exports: { '.': { 'workspace-source': './index.ts', default: './dist/index.js' } },
    carton: { tier: 'basic' },
  });
const many = Array.from({ length: 20 }, (_, index) => `field${index}: string`).join('; ');
const files = (field: string) => ({
  'package.json': '{ "version": "1.0.0", "type": "module" }',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      types: [],
      strict: true,
      allowImportingTsExtensions: true,
    },
  }),
  'runtime/package.json': manifest('runtime'),
  'runtime/index.ts': "export * from './units.ts';\nexport default 1;",
  'runtime/units.ts': "export const units = ['*/', '/* kg'] as const;",
  'vendor/empty/package.json': manifest('empty'),
  'vendor/empty/index.ts': 'export default {};',
  'vendor/box/package.json': manifest('box'),
  'vendor/box/index.ts': `import { weigh } from './weight.ts';
export { units as unitsOfBox } from '@carton/runtime';
export { type Weight, open as openBox, Closed, type Sealed } from './weight.ts';
export { weigh };
export default {};`,
  'vendor/box/weight.ts': `const hidden = 1;
/** A docstring. */
export interface Weight { /** Grams. */ grams: number; of: { ${many} } }
export type Sealed = { by: string; parts: { ${many}; ${field}: 1 } };
export function open(box: string): void;
export function open(box: string, hard: boolean): void;
export function open() {}
export const weigh = ({ grams }: Weight, to?: (weight: { grams: number }) => number) => to?.({ grams }) ?? hidden;
export class Closed extends Error { code = 1 }`,
});

async function listed(folder: string, field: string): Promise<Record<string, string[]>> {
  for (const [file, text] of Object.entries(files(field))) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const workspace = await readWorkspace(folder);
  const texts = await withExports(workspace, folder, (exports) => exportsTexts(folder, exports));
  return Object.fromEntries([...texts].map(([file, text]) => [file, text.trim().split('\n').slice(4)]));
}

t.test('each name with its kind and signature, sorted; long object types inside are cut', async (t) => {
  const before = await listed(t.testdir(), 'one');
  const digest = /Weight \{ grams: number; of: \{ … ([0-9a-f]{8}) \}/.exec(
    before['vendor/box/exports.md']?.join() ?? '',
  );
  const sealed = /Sealed = \{ by: string; parts: \{ … ([0-9a-f]{8}) \}/.exec(
    before['vendor/box/exports.md']?.join() ?? '',
  );
  t.strictSame(before, {
    'runtime/exports.md': ['## @carton/runtime', '', '```ts', "const units: readonly ['*/', '/* kg'];", '```'],
    'vendor/box/exports.md': [
      '## @carton/box',
      '',
      '```ts',
      'class Closed extends Error { code: number; }',
      `type Sealed = { by: string; parts: { … ${sealed?.[1]} }; };`,
      `interface Weight { grams: number; of: { … ${digest?.[1]} }; }`,
      'function openBox(box: string): void;',
      'function openBox(box: string, hard: boolean): void;',
      "export { units as unitsOfBox } from '@carton/runtime';",
      'const weigh: ({ grams }: Weight, to?: (weight: { grams: number; }) => number) => number;',
      '```',
    ],
    'vendor/empty/exports.md': ['Nothing besides its definition.'],
  });
  const after = await listed(t.testdir(), 'other');
  const changed = after['vendor/box/exports.md']?.filter((line) => !before['vendor/box/exports.md']?.includes(line));
  t.equal(changed?.length, 1, 'a change of what is cut changes its digest');
  t.match(changed?.[0], /^type Sealed = \{ by: string; parts: \{ … [0-9a-f]{8} \}; \};$/);
});

/** What a package of notes exports, and what else there is beside it, by file. */
const notes = {
  'runtime/index.ts': `export interface ExtensionPoint<T> { with(value: T): void }
export interface EventDefinition { type: string }
export const point: ExtensionPoint<Engine> = { with: () => {} };
export interface Engine { name: string }
export const idle = 1;`,
  'vendor/empty/index.ts': 'export default {};',
  'vendor/box/index.ts': `import type { EventDefinition, ExtensionPoint } from '@carton/runtime';
export interface Pin { of: Board }
export interface Board { size: number }
export interface Page { lines: number }
export interface Loaded { at: number }
export type Listener = () => void;
export const listeners: ExtensionPoint<Listener> = { with: () => {} };
export const pinned: EventDefinition = { type: 'pinned' };
export const pin = (): Pin => ({ of: { size: 1 } });
export const unpin = () => 0;
export const repin = () => 1;
export default { load: (): Loaded => ({ at: 1 }) };`,
  'vendor/box/own.ts': "import { unpin } from '@carton/box';\nexport const own = unpin;",
};

/** The faults of `notes` with these sources. */
async function unusedWith(t: Test, sources: Record<string, string>, kept: Kept[] = []): Promise<string[]> {
  const folder = t.testdir();
  const all = { ...files('one'), ...notes, ...sources };
  for (const [file, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  return withExports(await readWorkspace(folder), folder, async (exports) =>
    unusedExports(exports, await sourcesOfUsers(folder, Object.keys(all)), kept),
  );
}

const fault = (name: string, module = '@carton/box') =>
  `${module} exports ${name}, which nothing outside of the package uses but tests`;

t.test('each name has a user outside of its package that is no test', async (t) => {
  const engine = fault('idle', '@carton/runtime');
  const use = (name: string) => `import { ${name} as used } from '@carton/box';\nexport const x = used;`;
  t.strictSame(
    await unusedWith(t, {
      'vendor/empty/test/pins.test.ts': use('pin'),
      'vendor/empty/testing/index.ts': use('repin'),
      'shipped/subjects/pins.ts': use('repin'),
    }),
    [engine, ...['Board', 'Page', 'Pin', 'pin', 'repin', 'unpin'].map((name) => fault(name))],
    'tests, helpers of tests and the package itself do not count; extension points, events and the default export do',
  );
  t.strictSame(
    await unusedWith(t, { 'vendor/empty/pins.ts': use('pin'), 'tools/again.ts': use('repin') }),
    [engine, fault('Page'), fault('unpin')],
    'what the declaration of a used name names, counts',
  );
  t.strictSame(
    await unusedWith(t, { 'vendor/empty/pins.ts': "export { unpin, type Page } from '@carton/box';" }),
    [engine, ...['Board', 'Pin', 'pin', 'repin'].map((name) => fault(name))],
    'passing it on counts',
  );
});

t.test('names that are kept without a user', async (t) => {
  const use = { 'tools/pins.ts': "import { unpin, type Page } from '@carton/box';", 'tools/x.ts': '' };
  const keep = (module: string, ...names: string[]) => ({ module, names, reason: 'partners need it' });
  t.strictSame(
    await unusedWith(t, use, [keep('@carton/box', 'pin', 'unpin', 'gone'), keep('@carton/runtime', 'idle')]),
    [
      fault('repin'),
      'unpin of @carton/box is kept without need: it has a user, or does not exist',
      'gone of @carton/box is kept without need: it has a user, or does not exist',
    ],
  );
});

t.test('the template of new packages is a user', async (t) => {
  const used = await sourcesOfUsers(t.testdir(), []);
  t.ok(used.some(({ file, text }) => file === 'vendor/note/store.ts' && text.includes('ListQuery')));
});
