/**
 * Settings for editors, version managers and continuous integration agree with those of the project.
 */
import { execFileSync } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { missingPrograms, sourceRoot } from '@carton/runtime/testing';
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

t.test(
  'Git has LF ends, and knows what is generated and what is of the project',
  { skip: missingPrograms('git') },
  async (t) => {
    const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: root, encoding: 'utf8' });
    const files = git('ls-files').trim().split('\n');
    const attributes = git('check-attr', 'linguist-vendored', 'linguist-generated', '--', ...files).split('\n');
    const attributeOf = new Map(
      attributes.map((line) => line.split(': ')).map(([file, name, value]) => [`${name} ${file}`, value]),
    );
    const generated = files.filter((file) => attributeOf.get(`linguist-generated ${file}`) === 'set');
    t.strictSame(
      files.filter(
        (file) => /(^|\/)(exports\.md|statements\.sql|package-lock\.json)$/.test(file) && !generated.includes(file),
      ),
      [],
    );
    for (const pattern of (await read('.gitattributes')).matchAll(/^(\S+) linguist-generated$/gm)) {
      const name = pattern[1] as string;
      t.ok(
        generated.some((file) => matchesGlob(name.includes('/') ? file : basename(file), name)),
        `${name} has files`,
      );
    }
    t.strictSame(
      files.filter((file) => file.startsWith('vendor/') && attributeOf.get(`linguist-vendored ${file}`) !== 'false'),
      [],
    );
    t.strictSame(git('ls-files', '--eol').match(/^i\/(crlf|mixed).*$/gm), null);
  },
);
