/**
 * A time zone is a name of the IANA database that both `Intl` and PostgreSQL support.
 */
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { isTimeZone, parseTimeZone } from '../time-zone.ts';

const valid = [
  'UTC',
  'Europe/Paris',
  'America/Argentina/Buenos_Aires',
  'America/Port-au-Prince',
  'Etc/GMT+5',
  'Asia/Calcutta',
  'Asia/Kolkata',
  'Europe/Kiev',
  'Europe/Kyiv',
];
const invalid = [
  '',
  'utc',
  'Z',
  'GMT',
  'IST',
  'PST8PDT',
  '+01:00',
  '-0530',
  'europe/paris',
  'Europe/PARIS',
  'Europe/Paris ',
  'Europe/',
  'Europe',
  'Europe/Nowhere',
  'Etc/Unknown',
  'US/Pacific',
  'SystemV/EST5',
  'posix/Europe/Paris',
  'localtime',
  '../../etc/passwd',
];

/** What requests may name besides, and the zone that is stored. */
const forms = {
  utc: 'UTC',
  GMT: 'UTC',
  'Etc/UTC': 'UTC',
  'europe/paris': 'Europe/Paris',
  'EUROPE/BERLIN': 'Europe/Berlin',
  'Europe/PARIS': 'Europe/Paris',
  'europe/kyiv': 'Europe/Kiev',
  'Europe/KYIV': 'Europe/Kiev',
  'etc/gmt+5': 'Etc/GMT+5',
  'america/port-au-prince': 'America/Port-au-Prince',
  CET: 'Europe/Brussels',
  EST5EDT: 'America/New_York',
  PST8PDT: 'America/Los_Angeles',
  'US/Pacific': 'America/Los_Angeles',
  'us/pacific': 'America/Los_Angeles',
  Singapore: 'Asia/Singapore',
};
const unknown = [
  ...[
    'Z',
    'IST',
    'BST',
    'cst',
    '+01:00',
    '-0530',
    'Europe/Paris ',
    'Europe/',
    'Europe',
    'Europe/Nowhere',
    'Etc/Unknown',
  ],
  ...['SystemV/EST5', 'posix/Europe/Paris', 'localtime', '../../etc/passwd', '"'],
];

t.test('valid and invalid names of time zones', async (t) => {
  for (const name of [...valid, ...Intl.supportedValuesOf('timeZone')]) t.ok(isTimeZone(name), name);
  for (const name of invalid) t.notOk(isTimeZone(name), name);
  for (const name of valid) t.equal(parseTimeZone(name), name, name);
  for (const name of Intl.supportedValuesOf('timeZone')) t.equal(parseTimeZone(name.toLowerCase()), name, name);
  for (const [name, stored] of Object.entries(forms)) t.equal(parseTimeZone(name), stored, name);
});

t.test('a store accepts valid time zones only', async (t) => {
  const box = await createTestBox(t);
  t.match(await box.staff.get('/admin/store'), { status: 200, body: { timeZone: 'UTC' } });
  for (const timeZone of valid) {
    t.match(await box.staff.patch('/admin/store', { timeZone }), { status: 200, body: { timeZone } }, timeZone);
    t.match((await box.visitor().get('/store')).body, { timeZone });
    const [local] = await box.db.query<{ local: string }>(
      'select (now() at time zone time_zone)::text as local from stores where tenant_id = $1',
    );
    t.match(local, { local: /^\d{4}-/ }, `PostgreSQL knows ${timeZone}`);
  }
  for (const [timeZone, stored] of Object.entries(forms)) {
    const changed = await box.staff.patch('/admin/store', { timeZone });
    t.match(changed, { status: 200, body: { timeZone: stored } }, timeZone);
  }
  const detail = 'must be a time zone of the IANA database, such as Europe/Paris';
  for (const timeZone of ['', ...unknown]) {
    const refused = await box.staff.patch('/admin/store', { timeZone });
    t.equal(refused.status, 400, timeZone);
    t.strictSame(refused.body.errors, [
      { in: 'body', pointer: '/timeZone', detail: timeZone ? `${detail}, not ${JSON.stringify(timeZone)}` : detail },
    ]);
  }
});
