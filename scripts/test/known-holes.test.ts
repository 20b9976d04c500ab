/**
 * Holes that other software has had, as rules of all operations of staff: nothing of another store is changed by its bare id,
 * nothing is changed with rights to read, nobody acts on those who have more rights, and a sub-resource is only reached
 * through its own parent. Requests are as empty as their schemas allow, and nothing changes.
 */
import { hire } from '@carton/auth/testing';
import { createMember } from '@carton/member/testing';
import { type Caller, callerOf, createTestBox, untilDelivered } from '@carton/runtime/testing';
import t from 'tap';
import { accessKindsOf, type RouteDeclaration } from '../../runtime/http/route.ts';
import { fillTenant } from '../../tools/plans/full-tenant.ts';
import { barestBodies, idsOf, listOf, pathWith, stateOf } from './support/known-holes.ts';

const box = await createTestBox(t, { idleJobs: true });
const other = await box.openTenant();
await fillTenant(box, box);
await untilDelivered(box);

/** Operations of staff that change something which their path names. */
const changes: RouteDeclaration[] = box.box.routes
  .map(({ declaration }) => declaration)
  .filter(({ method, path }) => method !== 'get' && path.startsWith('/admin/') && path.includes('/:'))
  // A file is refused before its place is looked up.
  .filter((declaration) => accessKindsOf(declaration).includes('staff') && !declaration.upload);
const ids = new Map<string, string[]>();
for (const list of new Set(changes.map(listOf))) {
  const found = list.endsWith('/me/sessions') ? null : await idsOf(box, list);
  if (found) ids.set(list, found);
}
const reached = changes.filter((declaration) => (ids.get(listOf(declaration)) ?? []).length > 0);

/** A key of the store with these scopes. */
async function keyWith(scopes: readonly string[]): Promise<Caller> {
  const { status, body } = await box.staff.post('/admin/api-keys', { name: 'Integration', kind: 'secret', scopes });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${body.key}` });
}
const allScopes = (pattern: RegExp) => box.box.permissions.filter((permission) => pattern.test(permission));

/** Sends each of the barest requests of an operation to some ids; returns the status and code of each response. */
async function answersTo(caller: Caller, declaration: RouteDeclaration, targets: readonly string[]) {
  const answers = new Set<string>();
  for (const id of targets) {
    for (const body of barestBodies(declaration)) {
      const { status, body: problem } = await caller.call(declaration.method.toUpperCase(), pathWith(declaration, id), {
        body,
      });
      answers.add(`${status} ${problem?.code ?? ''}`.trim());
    }
  }
  return [...answers].toSorted();
}

t.test('the operations of money and goods are among those that are tried', async (t) => {
  const tried = new Set(reached.map(({ operationId }) => operationId));
  const wanted = changes.filter(({ path }) => /\/(orders|payments|fulfillments|invoices|refunds)\/:/.test(path));
  t.ok(wanted.length > 10);
  t.strictSame(
    wanted.filter(({ operationId }) => !tried.has(operationId)).map(({ operationId }) => operationId),
    [],
  );
});

t.test('nothing of another store is changed by its bare id', async (t) => {
  const before = await stateOf(box);
  for (const declaration of reached) {
    const answers = await answersTo(other.staff, declaration, (ids.get(listOf(declaration)) as string[]).slice(0, 4));
    // A body that breaks its schema is refused before the id is looked up.
    t.strictSame(
      answers.filter((answer) => answer !== '400 invalid_request'),
      answers.includes('404 not_found') ? ['404 not_found'] : [],
      declaration.operationId,
    );
  }
  t.equal(await stateOf(box), before);
});

t.test('nothing is changed with rights to read', async (t) => {
  const readers = [await keyWith(allScopes(/:read$/)), await hire(box, 'viewer')];
  const before = await stateOf(box);
  for (const declaration of reached.filter(({ permission }) => /:write$/.test(permission || ''))) {
    for (const reader of readers) {
      const answers = await answersTo(reader, declaration, (ids.get(listOf(declaration)) as string[]).slice(0, 1));
      t.strictSame(answers, ['403 forbidden'], declaration.operationId);
    }
  }
  t.equal(await stateOf(box), before);
});

t.test('a key with every single permission does not act on an owner, nor on a key with all', async (t) => {
  const key = await keyWith(allScopes(/./));
  const owner = await hire(box, 'owner');
  const invite = (await box.staff.post('/admin/invites', { email: 'owner@shop.example', role: 'owner' })).body;
  const mighty = (await box.staff.post('/admin/api-keys', { name: 'All', kind: 'secret', scopes: ['*'] })).body;
  const more = new Map([
    ['/admin/users', owner.id],
    ['/admin/invites', invite.id],
    ['/admin/api-keys', mighty.id],
  ]);
  const before = await stateOf(box);
  const tried: string[] = [];
  for (const declaration of reached) {
    const id = more.get(listOf(declaration));
    if (id === undefined) continue;
    tried.push(declaration.operationId);
    const answers = await answersTo(key, declaration, [id]);
    t.ok(answers.includes('403 forbidden'), declaration.operationId);
    t.strictSame(
      answers.filter((answer) => answer !== '400 invalid_request'),
      ['403 forbidden'],
      declaration.operationId,
    );
  }
  t.ok(tried.length >= 5, tried.join(', '));
  t.match(await key.post('/admin/invites', { email: 'eve@shop.example', role: 'owner' }), { status: 403 });
  t.equal(await stateOf(box), before);
  t.match(await owner.get('/admin/me'), { status: 200, body: { role: 'owner' } });
});

t.test('a sub-resource is not reached through another parent', async (t) => {
  const nested = reached.filter(({ path }) => /:\w+\/[\w-]+\/:\w+$/.test(path) && !path.includes('/tenants/'));
  t.ok(nested.length >= 4);
  const product = (title: string) =>
    box.staff.post('/admin/products', { title, options: [{ name: 'Size', values: ['S', 'M'] }] });
  const [shirt, coat] = [await product('Optional shirt'), await product('Optional coat')];
  const member = async (name: string) => {
    const { body } = await box.staff.post('/admin/members', { email: `${name}@nested.example`, name });
    const home = { name, line1: '12 Rue', city: 'Lyon', country: 'FR' };
    return { ...body, addresses: [(await box.staff.post(`/admin/members/${body.id}/addresses`, home)).body] };
  };
  const promotion = async (code: string) => {
    const terms = { label: code, discount: { kind: 'percent', percent: 5 } };
    const { body } = await box.staff.post('/admin/promotions', terms);
    await box.staff.post(`/admin/promotions/${body.id}/codes`, { codes: [code] });
    return { ...body, codes: (await box.staff.get(`/admin/promotions/${body.id}/codes`)).body.items };
  };
  const families = new Map([
    ['/admin/products', [shirt?.body, coat?.body]],
    ['/admin/members', [await member('Ada'), await member('Grace')]],
    ['/admin/promotions', [await promotion('NESTED1'), await promotion('NESTED2')]],
  ]);
  const before = await stateOf(box);
  for (const declaration of nested) {
    const [own, foreign] = families.get(listOf(declaration)) ?? [];
    const [, children = ''] = /:\w+\/([\w-]+)\/:\w+$/.exec(declaration.path) ?? [];
    const child = foreign?.[children]?.[0]?.id;
    t.type(child, 'string', declaration.operationId);
    const path = pathWith(declaration, own.id).replace(/[^/]+$/, child);
    for (const body of [...barestBodies(declaration), ...(declaration.method === 'patch' ? [{ name: 'Mine' }] : [])]) {
      const { status } = await box.staff.call(declaration.method.toUpperCase(), path, { body });
      t.ok([404, 400].includes(status), `${declaration.operationId}: ${status}`);
      if (body === undefined || (body as { name?: string }).name) t.equal(status, 404, declaration.operationId);
    }
  }
  t.equal(await stateOf(box), before);
});

t.test('what belongs to an order is as closed to others as the order itself', async (t) => {
  const parents = { '/checkout/:orderId': box.shopper(), '/member/orders/:id': await createMember(box) };
  const others: Caller[] = [box.visitor(), box.shopper(), await createMember(box)];
  const items = (await box.staff.get('/admin/variants?limit=100')).body.items as { id: string; sku: string | null }[];
  const variantId = items.find(({ sku }) => sku !== null)?.id;
  let tried = 0;
  for (const [parent, owner] of Object.entries(parents)) {
    t.equal((await owner.post('/cart/items', { variantId, quantity: 1 })).status, 201);
    const customer = { email: 'nested@example.com', name: 'Nested Person' };
    const { status: placed, body: order } = await owner.post('/checkout', { customer });
    t.equal(placed, 201);
    await untilDelivered(box);
    const before = await stateOf(box);
    const operations = box.box.routes.map(({ declaration }) => declaration);
    const below = operations.filter(({ path }) => path.startsWith(`${parent}/`));
    for (const other of others) {
      const { status, body } = await other.get(parent.replace(/:\w+/, order.id));
      // The id of an order is the link to its state, without the person.
      const isOpen = parent.startsWith('/checkout');
      t.equal(status === 200, isOpen, parent);
      t.notMatch(JSON.stringify(body), /nested/i);
      for (const declaration of below) {
        tried++;
        const options = declaration.method === 'get' ? {} : { body: {} };
        const response = await other.call(declaration.method.toUpperCase(), pathWith(declaration, order.id), options);
        t.notMatch(JSON.stringify(response.body ?? ''), /nested/i, declaration.operationId);
        if (!isOpen) t.ok([401, 404].includes(response.status), `${declaration.operationId}: ${response.status}`);
      }
    }
    t.equal(await stateOf(box), before);
  }
  t.ok(tried >= 12, `${tried}`);
});
