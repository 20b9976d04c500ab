/**
 * What the suite reports: failures with their names and details, known ones, and known ones that are mended.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exactly } from '@carton/runtime/testing';
import t from 'tap';
import { confirmedBy, isDifference } from '../report/confirmed.ts';
import { readKnownFailures, sortFailures } from '../report/known-failures.ts';
import { readResults } from '../report/results.ts';

const tap = `TAP version 14
# Subtest: hosts
    # a note
    # Subtest: a host is added
        ok 1 - listed
        not ok 2 - added
          ---
          diff: |
            --- expected
            +++ actual
            -201
            +500
          at:
            fileName: shipped/subjects/hosts.ts
            lineNumber: 13
          ...
        ok 3 - asked # SKIP no terminal
        1..3
    not ok 1 - a host is added # time=12ms
    # POST /admin/tenants/{id}/domains 500, in the log of the box:
    #   {"msg":"request failed"}
    ok 2 - a file
    1..2
not ok 1 - hosts # time=20ms
1..1
`;

t.test('a failure has its full name, place, difference and the log of the box', async (t) => {
  const { passed, skipped, failures, notes } = readResults(tap);
  t.strictSame([passed, skipped, notes], [2, ['hosts > a host is added > asked: no terminal'], ['a note']]);
  t.strictSame(failures, [
    {
      name: 'hosts > a host is added > added',
      place: 'shipped/subjects/hosts.ts:13',
      details: [
        '--- expected',
        '+++ actual',
        '-201',
        '+500',
        'POST /admin/tenants/{id}/domains 500, in the log of the box:',
        '  {"msg":"request failed"}',
      ],
    },
  ]);
});

t.test('a test that ends in another way than by an assertion is a failure', async (t) => {
  const { failures } = readResults('TAP version 14\nnot ok 1 - hosts\n  ---\n  error: it broke\n  ...\n1..1\n');
  t.match(failures, exactly([{ name: 'hosts', details: exactly([/it broke/]) }]));
});

t.test('known failures count as passed, and must still fail', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'known-failures-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'list.md');
  await writeFile(
    file,
    '# List\n\n- `hosts > a host is added`: a reason\n- `media > resized`: a reason\n- `mails > sent`: a reason\n',
  );
  const list = await readKnownFailures(file);
  const failures = ['hosts > a host is added > added', 'hosts > removed'].map((name) => ({
    name,
    place: '',
    details: [],
  }));
  const { known, fresh, mended } = sortFailures(failures, list, ['hosts', 'media']);
  t.strictSame(
    [known.map(({ name }) => name), fresh.map(({ name }) => name), mended],
    [['hosts > a host is added > added'], ['hosts > removed'], [{ name: 'media > resized', line: 4 }]],
    'an entry of a subject that has not run says nothing',
  );
});

t.test('a second run confirms differences between the boxes, and adds what else fails', async (t) => {
  const every = 'operations > every answer is declared, and that of the sources > ';
  const status = `${every}POST /admin/invites: the answer is 409 already_staff, from sources 201`;
  const body = `${every}GET /cart: its body has /a string, compared with sources`;
  const [undeclared, broken] = [`${every}GET /cart: 500 internal_error is not declared`, 'operations > a promise'];
  t.strictSame(
    [status, body, undeclared, broken].map((name) => isDifference({ name })),
    [true, true, false, false],
  );
  const of = (...names: string[]) => ({
    ...{ passed: 1, skipped: [], notes: [] },
    failures: names.map((name) => ({ name, place: '', details: [] })),
  });
  const confirmed = confirmedBy(of(status, body, undeclared), of(body, broken));
  t.strictSame(
    confirmed.failures.map(({ name }) => name),
    [body, undeclared, broken],
  );
});
