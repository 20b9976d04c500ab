/**
 * What is said of the project to editors, to version managers and to whoever checks changes agrees with what the project
 * does.
 */
import { access, constants, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';

const root = dirname(sourceRoot);
const read = (file: string) => readFile(join(root, file), 'utf8');
const manifest = JSON.parse(await read('package.json'));
const brought = (await read('.node-version')).trim();

t.test('the Node that version managers take is the one that the project brings', async (t) => {
  const platforms = ['linux-x64', 'linux-arm64'].map((platform) => manifest.optionalDependencies[`node-${platform}`]);
  t.strictSame(platforms, [brought, brought]);
  const least = /^>=(\d+)$/.exec(manifest.engines.node)?.[1];
  t.ok(Number(brought.split('.')[0]) >= Number(least), 'and new enough for package.json');
});

t.test('editors write what Biome does', async (t) => {
  const [, general = ''] = /^\[\*\]$([^[]*)/m.exec(await read('.editorconfig')) ?? [];
  const said = Object.fromEntries([...general.matchAll(/^(\w+) = (.+)$/gm)].map(([, name, value]) => [name, value]));
  const { indentStyle, indentWidth, lineWidth, lineEnding = 'lf' } = JSON.parse(await read('biome.json')).formatter;
  t.strictSame(said, {
    charset: 'utf-8',
    end_of_line: lineEnding,
    indent_style: indentStyle,
    indent_size: String(indentWidth),
    insert_final_newline: 'true',
    trim_trailing_whitespace: 'true',
    max_line_length: String(lineWidth),
  });
});

t.test('a change is checked by what a contributor runs', async (t) => {
  const workflow = await read('.github/workflows/check.yml');
  const runs = [...workflow.matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command as string);
  t.strictSame(runs, ['.ci/run']);
  await t.resolves(access(join(root, '.ci/run'), constants.X_OK));
  const [, major] = /^ +container: node:(\d+)-/m.exec(workflow) ?? [];
  t.equal(major, brought.split('.')[0], 'with a Node like the one that the project brings');
});
