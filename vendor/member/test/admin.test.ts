/**
 * Members as staff manage them: list, search, changes and addresses.
 */
import { createMember, logIn, mailsTo, openSession, password, register } from '@carton/member/testing';
import { eventTypesOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { forgetAttempts, newEmail, openBox } from './helpers.ts';

const box = await openBox(t);
const { staff } = box;
t.beforeEach(() => forgetAttempts(box));

const create = async (values: Record<string, unknown>) =>
  (await staff.post('/admin/members', { email: newEmail(), ...values })).body;
const idsOf = async (query: string, tenant = box) =>
  (await tenant.staff.get(`/admin/members?${query}`)).body.items.map(({ id }: { id: string }) => id);

t.test('staff create, change and delete members', async (t) => {
  const email = newEmail('Grace');
  const values = { name: 'Grace Hopper', phone: '+1 202 555 0100', locale: 'en-US', externalId: 'CRM-1' };
  const created = await staff.post('/admin/members', { email, ...values, acceptsMarketing: true, metadata: { a: 1 } });
  t.match(created, {
    status: 201,
    body: { ...values, email: email.toLowerCase(), status: 'active', emailVerifiedAt: null },
  });
  t.match(created.body, {
    acceptsMarketing: true,
    marketingSource: 'staff',
    marketingChangedAt: String,
    metadata: { a: 1 },
  });
  const path = `/admin/members/${created.body.id}`;
  t.equal(created.headers.get('location'), path);
  t.strictSame((await staff.get(path)).body, created.body);
  t.match(await staff.post('/admin/members', { email: email.toUpperCase() }), {
    status: 409,
    body: { code: 'member_email_taken' },
  });
  const changed = await staff.patch(path, { name: null, acceptsMarketing: false, marketingSource: 'by letter' });
  t.match(changed, { status: 200, body: { name: null, acceptsMarketing: false, marketingSource: 'by letter' } });
  t.equal((await staff.delete(path)).status, 204);
  for (const answer of [await staff.get(path), await staff.patch(path, { name: 'X' }), await staff.delete(path)]) {
    t.equal(answer.status, 404);
  }
  t.strictSame(await idsOf(`email=${email}`), []);
  t.strictSame(await idsOf('q=grace'), []);
  t.strictSame(await eventTypesOf(box, created.body.id), ['member.created', 'member.updated', 'member.deleted']);
  const again = await staff.post('/admin/members', { email });
  t.equal(again.status, 201, 'the address is free again');
});

t.test('an address that no mail can reach is refused, and one of before logs in', async (t) => {
  const unreachable = [`${'a'.repeat(65)}@example.com`, 'ada@xn--a.example', 'ada@1.2.3.4'];
  for (const email of unreachable) t.equal((await staff.post('/admin/members', { email })).status, 400, email);
  for (const email of unreachable) {
    await createMember(box, { email });
    t.match(await logIn(box.shopper(), { email, password }), { status: 200 }, email);
    t.equal((await idsOf(`email=${encodeURIComponent(email)}`)).length, 1, 'and is found');
  }
});

t.test('a member of staff sees hashes of no secret', async (t) => {
  const member = await createMember(box);
  await register(box, { email: newEmail(), password });
  const seen = JSON.stringify([
    (await staff.get('/admin/members')).body,
    (await staff.get(`/admin/members/${member.id}`)).body,
  ]);
  t.notMatch(seen, /hash|scrypt/i);
});

t.test('a shopper takes over the account that staff created, by registering', async (t) => {
  const email = newEmail();
  const { id } = await create({ email, name: 'Known to staff', acceptsMarketing: true });
  t.strictSame(await mailsTo(box, email), []);
  await register(box, { email, password, name: 'Entered', phone: '+33 1 23 45 67 89' });
  const shopper = box.shopper();
  t.equal((await logIn(shopper, { email, password })).status, 200);
  t.match((await shopper.get('/member')).body, {
    id,
    name: 'Known to staff',
    phone: '+33 1 23 45 67 89',
    acceptsMarketing: true,
    marketingSource: 'staff',
    emailVerifiedAt: String,
  });
});

t.test('disabling a member ends the sessions, a new address has to be verified', async (t) => {
  const member = await createMember(box);
  const path = `/admin/members/${member.id}`;
  t.equal((await staff.patch(path, { name: 'Other' })).status, 200);
  t.equal((await member.get('/member')).status, 200);
  t.equal((await staff.patch(path, { status: 'disabled' })).status, 200);
  t.equal((await staff.patch(path, { status: 'active' })).status, 200);
  t.equal((await member.get('/member')).status, 401);
  await box.visitor().post('/member/password/forgot', { email: member.email });
  const links = () => box.db.query('select id from member_tokens where tenant_id = $1 and email = $2', [member.email]);
  t.equal((await links()).length, 1);
  const moved = await staff.patch(path, { email: newEmail('moved') });
  t.match(moved, { status: 200, body: { emailVerifiedAt: null } });
  t.strictSame(await links(), [], 'links to the old address end');
  t.match(await staff.patch(path, { email: (await createMember(box)).email }), {
    status: 409,
    body: { code: 'member_email_taken' },
  });
});

t.test('deleting a member ends the sessions', async (t) => {
  const member = await createMember(box);
  t.equal((await staff.delete(`/admin/members/${member.id}`)).status, 204);
  t.equal((await member.get('/member')).status, 401);
  t.equal((await logIn(box.shopper(), member)).status, 401);
});

t.test('members are found by address, words of the name, state and time', async (t) => {
  const other = await box.openTenant();
  await other.staff.post('/admin/members', { email: 'maria@search.example', name: 'Maria Winkelmann' });
  const maria = (await create({ email: 'Mary.K@search.example', name: 'Maria Margaretha Kirch' })).id;
  const kirch = (await create({ email: 'kirch@search.example', name: 'Gottfried Kirch', acceptsMarketing: true })).id;
  const { body } = await staff.get(`/admin/members/${maria}`);
  await staff.patch(`/admin/members/${kirch}`, { status: 'disabled' });
  t.strictSame(await idsOf('email=MARY.K@search.example'), [maria]);
  t.strictSame(await idsOf('q=mar'), [maria], 'once, though three words match');
  t.strictSame(await idsOf('q=KIR'), [maria, kirch].sort());
  t.strictSame(await idsOf('q=mary.k'), [maria]);
  t.strictSame(await idsOf('q=search'), [], 'of an address the beginning only');
  t.strictSame(await idsOf('q=kirch&status=disabled'), [kirch]);
  t.strictSame(await idsOf('q=kirch&status=active'), [maria]);
  t.strictSame(await idsOf('status=disabled&acceptsMarketing=true'), [kirch]);
  t.strictSame(await idsOf(`q=kirch&createdTo=${body.createdAt}`), []);
  t.strictSame(await idsOf(`email=mary.k@search.example&createdFrom=${body.createdAt}`), [maria]);
  t.strictSame(await idsOf(`email=mary.k@search.example&createdTo=${body.createdAt}`), []);
  await staff.patch(`/admin/members/${maria}`, { name: 'Maria Winkelmann' });
  t.strictSame(await idsOf('q=kirch'), [kirch]);
  t.strictSame(await idsOf('q=wink'), [maria]);
  t.equal((await staff.get('/admin/members?q=kirch&updatedAfter=2026-01-01T00:00:00Z')).status, 400);
});

t.test('a member is found by a Greek name in capitals and small letters', async (t) => {
  const { id } = await create({ name: 'Σωτήρης Παππάς' });
  for (const q of ['ΠΑΠΠΑΣ', 'παππας', 'Παππάς', 'σωτηρης', 'ΣΩΤΗΡΗΣ', 'σωτηρησ']) {
    t.strictSame(await idsOf(`q=${encodeURIComponent(q)}`), [id], q);
  }
});

t.test('a search is paged in the order of the words that match', async (t) => {
  const expected: string[] = [];
  for (const name of ['Zed Aab', 'Zed Aac Aab', 'Aad', 'Aad', 'Aae Zed']) expected.push((await create({ name })).id);
  const found: string[] = [];
  let cursor = '';
  do {
    const { body } = await staff.get(`/admin/members?q=aa&limit=2${cursor && `&cursor=${cursor}`}`);
    found.push(...body.items.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  } while (cursor);
  t.strictSame(found, expected);
});

const address = { name: 'Ada', line1: '12 Rue', city: 'Lyon', country: 'FR' };

t.test('members and staff manage addresses, of which one each is the default', async (t) => {
  const [member, other] = [await createMember(box), await createMember(box)];
  const path = `/admin/members/${member.id}/addresses`;
  const home = await member.post('/member/addresses', { ...address, defaultShipping: true, defaultBilling: true });
  t.match(home, { status: 201, body: { ...address, company: null, defaultShipping: true, defaultBilling: true } });
  const office = await staff.post(path, { ...address, company: 'Engines Ltd', defaultShipping: true });
  t.match(office, { status: 201, body: { company: 'Engines Ltd', defaultShipping: true, defaultBilling: false } });
  const defaults = async () =>
    (await member.get('/member/addresses')).body.items.map((each: Record<string, unknown>) => [
      each.id,
      each.defaultShipping,
      each.defaultBilling,
    ]);
  t.strictSame(await defaults(), [
    [office.body.id, true, false],
    [home.body.id, false, true],
  ]);
  t.equal((await staff.patch(`${path}/${office.body.id}`, { defaultBilling: true, line2: 'Floor 3' })).status, 200);
  t.equal((await member.patch(`/member/addresses/${home.body.id}`, { defaultShipping: true })).status, 200);
  t.strictSame(await defaults(), [
    [office.body.id, false, true],
    [home.body.id, true, false],
  ]);
  t.match(
    (await staff.get(`/admin/members/${member.id}`)).body.addresses,
    exactly([{ line2: 'Floor 3' }, { line2: null }]),
  );
  const own = `/member/addresses/${home.body.id}`;
  for (const answer of [
    await other.patch(own, { city: 'Paris' }),
    await other.delete(own),
    await staff.patch(`/admin/members/${other.id}/addresses/${home.body.id}`, { city: 'Paris' }),
    await staff.delete(`/admin/members/${other.id}/addresses/${home.body.id}`),
  ]) {
    t.equal(answer.status, 404, "another member's address");
  }
  t.strictSame((await other.get('/member/addresses')).body.items, []);
  t.equal((await member.delete(own)).status, 204);
  t.equal((await staff.delete(`${path}/${office.body.id}`)).status, 204);
  t.strictSame(await defaults(), []);
});

t.test('a member stores at most 100 addresses', async (t) => {
  const member = await createMember(box);
  await box.db.query(
    `insert into member_addresses (tenant_id, id, member_id, name, line1, city, country, default_shipping, default_billing)
     select $1, gen_random_uuid(), $2, 'Ada', '12 Rue', 'Lyon', 'FR', false, false from generate_series(1, 99)`,
    [member.id],
  );
  t.equal((await member.post('/member/addresses', address)).status, 201);
  t.match(await member.post('/member/addresses', address), { status: 409, body: { code: 'too_many_addresses' } });
  const phone = await openSession(box, member.id);
  t.equal((await phone.get('/member/addresses?limit=100')).body.items.length, 100);
});
