/**
 * The contract suite itself: a correct package passes, and each deviation is reported in a line with the route and the
 * requirement.
 */
import t, { type Test } from 'tap';
import { createTestBox } from '../box.ts';
import { boxTarget, checkContract } from '../contract/index.ts';
import { lineCountOfCorrect, notesPackage } from './notes-package.ts';

/** Runs the suite on the routes of the notes package. */
async function checkNotes(t: Test, kind: Parameters<typeof notesPackage>[1], runs: number) {
  const box = await createTestBox(t, await notesPackage(t, kind));
  const target = await boxTarget(box, (task) => t.teardown(task));
  const declarations = target.declarations.filter(({ path }) => path.startsWith('/admin/notes'));
  return checkContract({ ...target, declarations }, { seed: 7, runs });
}

t.test('a correct package passes, and is short', async (t) => {
  const result = await checkNotes(t, 'correct', 30);
  t.strictSame(result.failures, []);
  t.strictSame(result.succeeded, ['POST /admin/notes', 'GET /admin/notes/:id']);
  t.ok(result.routes === 2 && result.cases > 100);
  t.ok(lineCountOfCorrect < 60, `${lineCountOfCorrect} lines`);
});

t.test('each deviation is reported with its route', async (t) => {
  const { failures } = await checkNotes(t, 'broken', 60);
  const lines: [what: string, line: RegExp][] = [
    [
      'an undeclared problem',
      /^PUT \/admin\/notes\/:id\/undeclared: every problem must be declared, was 500 internal_error/,
    ],
    ['an additional field', /^GET \/admin\/notes-with-more: every problem must be declared, was 500 internal_error/],
    ['a value that makes the handler fail', /^POST \/admin\/notes\/search: .*\(fuzzed\), was 500 internal_error to \{/],
    ['no permission', /^PATCH \/admin\/notes-of-all: an admin route must require a permission/],
    ["another tenant's note", /^GET \/admin\/notes\/:id\/cached: another party's id must be 404, was 200/],
    [
      "another tenant's text",
      /^GET \/admin\/notes\/:id\/cached: no data of another party \(.*\) may be visible, was mark/,
    ],
  ];
  for (const [what, line] of lines)
    t.ok(
      failures.some((failure) => line.test(failure)),
      what,
      { failures },
    );
  const [, request = '{}'] =
    failures.map((line) => /notes\/search: .*\(fuzzed\).* to (\{.*\})/s.exec(line)).find(Boolean) ?? [];
  t.throws(() => new RegExp(JSON.parse(request).body.text, 'u'), 'the request is complete');
  const expected = /undeclared|notes-with-more|notes\/search|notes-of-all|cached/;
  t.strictSame(
    failures.filter((failure) => !expected.test(failure)),
    [],
    'no other route is reported',
  );
});

t.test('a table without tenant_id', async (t) => {
  await t.rejects(
    notesPackage(t, 'undeclaredTable').then((options) => createTestBox(t, options)),
    /notes/,
    'stops the start',
  );
  const { failures } = await checkNotes(t, 'withoutTenant', 5);
  const pattern = /^GET \/admin\/notes\/:id: (another party's id|no data of another party) /;
  const found = failures.map((failure) => pattern.exec(failure)?.[1]);
  t.strictSame(
    [...new Set(found)].sort(),
    ["another party's id", 'no data of another party'],
    'is detected as a box table',
  );
});
