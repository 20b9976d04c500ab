/**
 * A package declares a mail, and another, which does not depend on it, previews and sends it.
 */
import t from 'tap';
import { Type } from '../../http/schemas.ts';
import { createTestBox, until, writePackage } from '../../testing/index.ts';
import { defineMail } from '../template.ts';

const index = `
import { cartCreated } from '@carton/cart';
import {
  defineMail, definePackage, mailTemplates, newId, notFound, object, route, subscriber, Type,
} from '@carton/runtime';

// A mail about carts.
const cartMail = defineMail({
  key: 'cart.created',
  summary: 'To staff, when a cart is created',
  audience: 'staff',
  data: object({ currency: Type.String(), pieces: Type.Integer() }),
  sample: { currency: 'EUR', pieces: 2 },
  subject: 'A cart of {{pieces}}',
  text: 'A shopper has added {{pieces}} to a cart in {{currency}}.',
  event: cartCreated,
  compose: async (db, { payload }) =>
    payload.itemCount > 5 ? null
      : { to: 'staff@shop.example', locale: null, data: { currency: payload.currency, pieces: payload.itemCount } },
});

// The package that sends mails: it depends on the extension point only.
const render = (text, data) => text.replaceAll(/{{(\\w+)}}/g, (_, name) => String(data[name]));
const Preview = object({ summary: Type.String(), subject: Type.String(), text: Type.String() });

const previewMail = route(
  {
    method: 'get', path: '/admin/mail-previews/:key', operationId: 'previewMail', tag: 'Mails', summary: 'Preview a mail',
    access: 'staff', status: 200, response: Preview,
  },
  async ({ db, params }) => {
    const mail = mailTemplates.of(db).find(({ key }) => key === params.key);
    if (!mail) throw notFound('No mail is called ' + params.key + '.');
    const { summary, subject, text, sample } = mail;
    return { summary, subject: render(subject, sample), text: render(text, sample) };
  },
);

const sendMails = subscriber({
  name: 'mailer.send', events: 'all',
  async handle(db, event) {
    // Other packages declare mails, too.
    for (const { key, compose, subject } of mailTemplates.of(db)) {
      if (key !== event.type || key !== 'cart.created') continue;
      const mail = await compose(db, event);
      if (mail === null) continue;
      await db.insert('sent_mails', { id: newId(), recipient: mail.to, subject: render(subject, mail.data) });
    }
  },
});

export default definePackage({
  routes: [previewMail], subscribers: [sendMails], extends: [mailTemplates.with(cartMail)],
});
`;
const migration = `
export const up = (knex) => knex.raw(\`
  create table sent_mails (
    tenant_id uuid not null references tenants (id), id uuid not null, recipient text not null, subject text not null,
    primary key (tenant_id, id)
  )\`);
export const down = (knex) => knex.raw('drop table sent_mails');
`;
const written = await writePackage(
  t,
  {
    name: 'mailer',
    dependencies: ['core', 'auth', 'region', 'product', 'pricing', 'inventory', 'cart'],
    index,
    migration,
  },
  ['tenant'],
);
const box = await createTestBox(t, { ...written, database: 'empty' });

t.test('a preview contains the sample data', async (t) => {
  const { status, body } = await box.staff.get('/admin/mail-previews/cart.created');
  t.equal(status, 200);
  t.strictSame(body, {
    summary: 'To staff, when a cart is created',
    subject: 'A cart of 2',
    text: 'A shopper has added 2 to a cart in EUR.',
  });
  t.equal((await box.staff.get('/admin/mail-previews/nothing')).status, 404);
});

t.test('one mail is sent for each event, as compose returns it', async (t) => {
  const product = await box.staff.post('/admin/products', {
    title: 'Mug',
    handle: 'mug',
    status: 'published',
    variants: [{ sku: 'MUG' }],
  });
  const [{ id: variantId }] = product.body.variants;
  await box.staff.put(`/admin/variants/${variantId}/prices`, { prices: [{ currency: 'EUR', amount: 100 }] });
  const item = (await box.staff.get(`/admin/stock-items?variantId=${variantId}`)).body.items[0];
  await box.staff.post(`/admin/stock-items/${item.id}/adjustments`, { quantity: 50, reason: 'received' });
  for (const quantity of [9, 3]) {
    t.equal((await box.shopper().post('/cart/items', { variantId, quantity })).status, 201);
  }
  const sent = () => box.db.query('select recipient, subject from sent_mails where tenant_id = $1');
  await until(sent, (mails) => mails.length > 0);
  await until(
    () => box.db.query('select id from event_deliveries where tenant_id = $1 and status = $2', ['pending']),
    (deliveries) => deliveries.length === 0,
  );
  t.strictSame(await sent(), [{ recipient: 'staff@shop.example', subject: 'A cart of 3' }]);
});

t.test('a declaration with an event but without compose is refused', async (t) => {
  const event = { type: 'x.y', summary: 'x', payload: {} } as never;
  const template = {
    key: 'x.y',
    summary: 'x',
    audience: 'staff',
    data: Type.Object({}),
    sample: {},
    subject: '',
    text: '',
  } as const;
  t.throws(() => defineMail({ ...template, event }), new Error('the mail x.y has an event but no compose'));
});
