/**
 * Settings for editors, version managers and continuous integration agree with those of the project.
 */
import { access, constants, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sourceRoot } from '@carton/runtime/testing';
import t from 'tap';

const root = dirname(sourceRoot);
const read = (file: string) => readFile(join(root, file), 'utf8');
const manifest = JSON.parse(await read('package.json'));
const bundledNode = (await read('.node-version')).trim();

t.test('version managers get the Node that the project brings', async (t) => {
  const platforms = ['linux-x64', 'linux-arm64'].map((platform) => manifest.optionalDependencies[`node-${platform}`]);
  t.strictSame(platforms, [bundledNode, bundledNode]);
  const minimum = /^>=(\d+)$/.exec(manifest.engines.node)?.[1];
  t.ok(Number(bundledNode.split('.')[0]) >= Number(minimum), 'and it satisfies package.json');
});

t.test('editors use the format of Biome', async (t) => {
  const [, general = ''] = /^\[\*\]$([^[]*)/m.exec(await read('.editorconfig')) ?? [];
  const settings = Object.fromEntries(
    [...general.matchAll(/^(\w+) = (.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  const { indentStyle, indentWidth, lineWidth, lineEnding = 'lf' } = JSON.parse(await read('biome.json')).formatter;
  t.strictSame(settings, {
    charset: 'utf-8',
    end_of_line: lineEnding,
    indent_style: indentStyle,
    indent_size: String(indentWidth),
    insert_final_newline: 'true',
    trim_trailing_whitespace: 'true',
    max_line_length: String(lineWidth),
  });
});

t.test('continuous integration runs what contributors run', async (t) => {
  const workflow = await read('.github/workflows/check.yml');
  const runs = [...workflow.matchAll(/^ +- run: (.+)$/gm)].map(([, command]) => command as string);
  t.strictSame(runs, ['.ci/run']);
  await t.resolves(access(join(root, '.ci/run'), constants.X_OK));
  const [, major] = /^ +container: node:(\d+)-/m.exec(workflow) ?? [];
  t.equal(major, bundledNode.split('.')[0], 'with the same major version of Node');
});
