/**
 * The list of what packages export, of a checkout with an engine and two packages.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { readWorkspace } from '../../tools/packages/sources.ts';
import { exportsTexts } from '../documentation/exports.ts';

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
  const texts = await exportsTexts(await readWorkspace(folder), folder);
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
