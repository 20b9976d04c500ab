/**
 * `npm run check` refuses lists in patterns that a longer list matches too.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../../test/support/stack.ts';

/** Each rejected line has a comment that says so. */
const tests = `
import t from 'tap';
t.match(answer, []); // rejected
t.match(answer, { body: { items: [{ id }] } }); // rejected
t.match(await ask(['a']), { errors: [{ pointer }], code }, 'about'); // rejected
t.match(answer, { ...pattern, nested: [{ deep: [] }] }, about, { more }); // rejected rejected
t.notMatch(names, ['current']); // rejected
t.has(answer, { items: [] }); // rejected
t.rejects(work(), { errors: [{ pointer }] }); // rejected
t.test('within', async (test) => {
  test.match(answer, [/a/]); // rejected
});
t.match(answer, exactly([{ id }]));
t.match(answer, { body: { items: exactly([{ id, tags: ['a'] }]) } });
t.match(await ask(['a']), { status: 200 });
t.match([status, code], pattern);
t.match(text, new RegExp(['a', 'b'].join('|')));
t.match(answer, { code }, 'about', { answers: [1] });
t.strictSame(answers, []);
'a, b'.match(/a/);
seen.has('a');
`;

function lint(folder: string): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve) => {
    const biome = join(root, 'node_modules/.bin/biome');
    execFile(biome, ['lint', '--colors=off', '--max-diagnostics=none', '.'], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

t.test('lists in patterns are rejected, at any depth', async (t) => {
  const { plugins } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
  const own = plugins.map((plugin: { path: string }) => ({ ...plugin, path: join(root, plugin.path) }));
  const config = { plugins: own, linter: { rules: { recommended: false } } };
  const folder = t.testdir({
    'biome.json': JSON.stringify(config),
    test: { 'bad.test.ts': tests },
    'shipped.ts': 'pattern.match(text, []);\n',
  });
  const { failed, output } = await lint(folder);
  t.ok(failed);
  const rejected = [...output.matchAll(/^(\S+):(\d+):\d+ plugin/gm)].map(([, file, line]) => `${file}:${line}`);
  const expected = tests
    .split('\n')
    .flatMap((line, at) => (line.match(/rejected/g) ?? []).map(() => `test/bad.test.ts:${at + 1}`));
  t.strictSame(rejected, expected);
});
