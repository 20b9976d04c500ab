/**
 * What the last lines of a box that did not start say about the cause, with the messages of the programs themselves.
 */
import t from 'tap';
import { causeIn } from '../box/start-failure.ts';

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
