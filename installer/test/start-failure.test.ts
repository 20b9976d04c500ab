/**
 * What the last lines of a box that did not start say about the cause, with the messages of the programs themselves.
 */
import t from 'tap';
import { boxFolder } from '../box/folder.ts';
import { causeIn, explainStart } from '../box/start-failure.ts';

t.test('a user without a name', (t) => {
  const cause = causeIn('the box cannot start:\ninitdb: could not look up effective user ID 4321: user does not exist');
  t.match(cause, { code: 'box_not_healthy', message: /user 4321 has no name/, advice: /useradd --uid 4321 / });
  t.end();
});

t.test('a library that the system lacks', (t) => {
  const cause = causeIn(
    'postgres: error while loading shared libraries: libstdc++.so.6: cannot open shared object file',
  );
  t.match(cause, { code: 'box_not_healthy', message: /lacks the library libstdc/, advice: /apt-get install libstdc/ });
  t.end();
});

t.test('a C library that is too old', (t) => {
  const cause = causeIn("postgres: /lib/libc.so.6: version `GLIBC_2.34' not found (required by postgres)");
  t.match(cause, { code: 'box_not_healthy', message: /too old: the box needs GLIBC_2\.34/ });
  t.end();
});

t.test('anything else has no known cause', (t) => {
  t.equal(causeIn('the box cannot start: it is Monday'), undefined);
  t.end();
});

t.test('of an exception that Node.js reports, its message is named', async (t) => {
  const folder = boxFolder(t.testdir());
  const messageOf = async (log: string) => (await explainStart(folder, 'the box exited', log)).message;
  const log = [
    'file:///box/dist/main.js:3',
    'import(;',
    '       ^',
    '',
    "SyntaxError: Unexpected token ';'",
    '    at compileSourceTextModule (node:internal/modules/esm/utils:354:16)',
    '',
    'Node.js v24.21.0',
    '',
  ].join('\n');
  t.equal(await messageOf(log), "the box exited; last log line: SyntaxError: Unexpected token ';'");
  t.equal(await messageOf('one\n  two \n'), 'the box exited; last log line: two');
  t.equal(await messageOf(''), 'the box exited; last log line: the log is empty');
});
