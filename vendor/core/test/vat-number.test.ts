/**
 * The VAT number of the store: checked where the form of its country is known, and stored in one form.
 */
import { createTestBox, exactly } from '@carton/runtime/testing';
import t from 'tap';

const packages = ['core', 'auth', 'tenant'].map((name) => `@carton/${name}`);
const box = await createTestBox(t, { packages, tier: 'basic' });
const path = '/admin/store';
const change = (vatNumber: string | null) => box.staff.patch(path, { vatNumber });

t.test('a wrong number of a known country is refused with its form', async (t) => {
  const cases: [text: string, form: RegExp][] = [
    ['DE123', /DE999999999/],
    ['FR40303265046', /FRXX999999999/],
    ['GR 094259217', /EL999999999/],
    ['GB123', /GB999999999/],
    ['CHE-123.456.787', /CHE999999999/],
  ];
  for (const [text, detail] of cases) {
    const errors = exactly([{ in: 'body', pointer: '/vatNumber', detail }]);
    t.match(await change(text), { status: 400, body: { errors } }, text);
  }
  t.equal((await box.staff.get(path)).body.vatNumber, null);
});

t.test('a number is stored in one form, and one of another country as it is', async (t) => {
  const cases: [text: string | null, stored: string | null][] = [
    ['fr 40 303.265.045', 'FR40303265045'],
    ['GR 094259216', 'EL094259216'],
    ['gb 802 3117 82', 'GB802311782'],
    ['NO 974 760 673 MVA', 'NO 974 760 673 MVA'],
    ['foo', 'foo'],
    [null, null],
  ];
  for (const [text, stored] of cases) {
    t.match(await change(text), { status: 200, body: { vatNumber: stored } }, `${text}`);
    t.equal((await box.visitor().get('/store')).body.vatNumber, stored);
  }
});

t.test('what an earlier release has stored may be sent back, and nothing like it be set', async (t) => {
  await box.owner.query('update stores set vat_number = $2 where tenant_id = $1', [box.id, 'DE123']);
  const sent = await box.staff.patch(path, { vatNumber: 'DE123', phone: '+33 1 23 45 67 89' });
  t.match(sent, { status: 200, body: { vatNumber: 'DE123', phone: '+33 1 23 45 67 89' } });
  t.match(await change('DE124'), { status: 400 });
});
