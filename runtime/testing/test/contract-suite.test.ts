/**
 * The contract suite itself: a package written as it should be passes, and each promise that one breaks is a line
 * with the route and the promise in it.
 */
import t, { type Test } from 'tap';
import { createTestBox } from '../box.ts';
import { boxTarget, holdContract } from '../contract/index.ts';
import { linesOfHonest, notesPackage } from './notes-package.ts';

t.setTimeout(600_000);

/** What the suite says of the routes of the notes. */
async function heldAgainst(t: Test, kind: Parameters<typeof notesPackage>[1], runs: number) {
  const box = await createTestBox(t, await notesPackage(t, kind));
  const target = await boxTarget(box, (task) => t.teardown(task));
  const declarations = target.declarations.filter(({ path }) => path.startsWith('/admin/notes'));
  return holdContract({ ...target, declarations }, { seed: 7, runs });
}

t.test('an honest package passes, and is short', async (t) => {
  const result = await heldAgainst(t, 'honest', 30);
  t.strictSame(result.failures, []);
  t.strictSame(result.succeeded, ['POST /admin/notes', 'GET /admin/notes/:id']);
  t.ok(result.routes === 2 && result.cases > 100);
  t.ok(linesOfHonest < 60, `${linesOfHonest} lines`);
});

t.test('each broken promise is a line with its route', async (t) => {
  const { failures } = await heldAgainst(t, 'broken', 60);
  const lines: [what: string, line: RegExp][] = [
    [
      'an undeclared problem',
      /^PUT \/admin\/notes\/:id\/undeclared: every problem must be declared, was 500 internal_error/,
    ],
    ['a field too many', /^GET \/admin\/notes-with-more: every problem must be declared, was 500 internal_error/],
    ['a value that breaks the handler', /^POST \/admin\/notes\/search: .*\(fuzzed\), was 500 internal_error to \{/],
    ['no permission', /^PATCH \/admin\/notes-of-all: a route of the administration must ask for a permission/],
    ["another shop's note", /^GET \/admin\/notes\/:id\/remembered: an id of another must be 404, was 200/],
    ["another shop's text", /^GET \/admin\/notes\/:id\/remembered: nothing of another \(.*\) must be seen, was mark/],
  ];
  for (const [what, line] of lines)
    t.ok(
      failures.some((failure) => line.test(failure)),
      what,
      { failures },
    );
  const expected = /undeclared|notes-with-more|notes\/search|notes-of-all|remembered/;
  t.strictSame(
    failures.filter((failure) => !expected.test(failure)),
    [],
    'and no other route is blamed',
  );
});

t.test('a table without tenant_id', async (t) => {
  await t.rejects(
    notesPackage(t, 'undeclaredTable').then((options) => createTestBox(t, options)),
    /notes/,
    'stops the start',
  );
  const { failures } = await heldAgainst(t, 'withoutTenant', 5);
  const found = failures.map((failure) => /^GET \/admin\/notes\/:id: (an id|nothing) of another /.exec(failure)?.[1]);
  t.strictSame([...new Set(found)].sort(), ['an id', 'nothing'], "and is found out when it is called the box's own");
});
