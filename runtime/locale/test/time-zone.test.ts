/**
 * A time zone is a name of the IANA database that both `Intl` and PostgreSQL support.
 */
import t from 'tap';
import { createTestBox } from '../../testing/box.ts';
import { isTimeZone } from '../time-zone.ts';

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

t.test('valid and invalid names of time zones', async (t) => {
  for (const name of [...valid, ...Intl.supportedValuesOf('timeZone')]) t.ok(isTimeZone(name), name);
  for (const name of invalid) t.notOk(isTimeZone(name), name);
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
  for (const timeZone of invalid) {
    const refused = await box.staff.patch('/admin/store', { timeZone });
    t.equal(refused.status, 400, timeZone);
    t.strictSame(refused.body.errors, [
      { in: 'body', pointer: '/timeZone', detail: 'must be a time zone of the IANA database, such as Europe/Paris' },
    ]);
  }
});
