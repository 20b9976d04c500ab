/**
 * The preconditions of reads and changes, and their order (RFC 9110, section 13.2.2).
 */
import t from 'tap';
import { type Answer, createTestBox } from '../testing/index.ts';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const settings = '/admin/store';
const box = await createTestBox(t, { packages });
const { staff } = box;

const etagOf = ({ headers }: Answer) => headers.get('etag') as string;
const present = async () => etagOf(await staff.get(settings));
const failed = { status: 412, body: { code: 'precondition_failed' } };

t.test('If-None-Match of a change', async (t) => {
  const change = async (value: string) =>
    staff.patch(settings, { name: value }, { headers: { 'if-none-match': value } });
  const first = await present();
  for (const value of ['*', ' * ', first, `W/${first}`, `"other", ${first}`, 'no tag', `${first} ${first}`])
    t.match(await change(value), failed, value);
  t.equal(await present(), first, 'nothing was changed');
  for (const value of ['"other"', '"a", W/"b"', ''])
    t.match(
      await staff.patch(settings, { name: 'Changed' }, { headers: { 'if-none-match': value } }),
      { status: 200 },
      value,
    );
  t.match(await change(first), { status: 200 }, 'the tag of an earlier version');
  t.match(
    await staff.patch('/admin/roles/none', { name: 'Mine' }, { headers: { 'if-none-match': '*' } }),
    { status: 404 },
    'what does not exist',
  );
});

t.test('If-None-Match is checked in the transaction of the change', async (t) => {
  for (let round = 0; round < 5; round++) {
    const path = `/admin/tenants/${box.id}`;
    const now = etagOf(await box.operator.get(path));
    // Of two changes that expect that the name is no longer this one, none may pass before another has changed it.
    const headers = { 'if-none-match': now };
    const answers = await Promise.all(
      [1, 2].map((n) => box.operator.patch(path, { name: `${round} ${n}` }, { headers })),
    );
    t.strictSame(
      answers.map(({ status }) => status),
      [412, 412],
    );
  }
});

t.test('If-Match comes first', async (t) => {
  const cases: [match: (now: string) => string, none: (now: string) => string, status: number][] = [
    [(now) => now, () => '"other"', 200],
    [(now) => now, (now) => now, 412],
    [() => '*', () => '*', 412],
    [() => '*', () => '"other"', 200],
    [() => '"other"', () => '"other"', 412],
  ];
  for (const [match, none, status] of cases) {
    const now = await present();
    const headers = { 'if-match': match(now), 'if-none-match': none(now) };
    t.match(await staff.patch(settings, { name: 'N' }, { headers }), { status }, JSON.stringify(headers));
  }
});

t.test('a read', async (t) => {
  const now = await present();
  const cases: [headers: Record<string, string>, status: number][] = [
    [{ 'if-match': now }, 200],
    [{ 'if-match': `W/${now}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': 'no tag' }, 412],
    [{ 'if-match': '' }, 412],
    [{ 'if-match': '"other"', 'if-none-match': now }, 412],
    [{ 'if-match': now, 'if-none-match': now }, 304],
    [{ 'if-match': now, 'if-none-match': '"other"' }, 200],
    [{ 'if-none-match': '*' }, 304],
    // There are no dates of changes to compare.
    [{ 'if-unmodified-since': 'Mon, 01 Jan 1990 00:00:00 GMT' }, 200],
    [{ 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' }, 200],
  ];
  for (const [headers, status] of cases) {
    const read = await staff.get(settings, { headers });
    t.equal(read.status, status, JSON.stringify(headers));
    t.equal(read.headers.get('etag') === null, status === 412, 'a problem has no ETag');
    t.equal((await staff.call('HEAD', settings, { headers })).status, status, 'HEAD');
  }
  t.match(await staff.get('/admin/roles/none', { headers: { 'if-match': '"other"' } }), { status: 404 });
});

t.test('the document declares what a read may answer', async (t) => {
  const { body } = await box.visitor().get('/docs/json');
  t.ok(body.paths[settings].get.responses['412']);
});
