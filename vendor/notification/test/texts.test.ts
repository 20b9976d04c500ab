/**
 * Texts of mails: which one is used, what is refused, what is escaped, and previews.
 */
import { callerOf, exactly } from '@carton/runtime/testing';
import t from 'tap';
import { chooseText } from '../templates/texts.ts';
import { createMailBox, createProduct, mailsWhere, placeOrder } from './helpers.ts';

const { box, server } = await createMailBox(t);
const { staff } = box;
const path = '/admin/notification-templates/order.placed';
/** A caller with another credential. */
const as = (token: string) =>
  callerOf(box.url, {
    'x-tenant-slug': box.slug,
    'x-hosting-secret': box.secrets.hosting,
    authorization: `Bearer ${token}`,
  });
const text = (locale: string, subject: string) => ({ locale, subject, text: 'x', html: null });

t.test('a text is chosen by locale, language, default locale and its language, then the package', async (t) => {
  const template = { subject: 'own', text: 'x' };
  const texts = ['pt-BR', 'pt', 'en-GB', 'en'].map((locale) => text(locale, locale));
  const chosen = (locale: string, among = texts) =>
    chooseText(among, template, { locale, defaultLocale: 'en-GB' }).subject;
  t.equal(chosen('pt-BR'), 'pt-BR');
  t.equal(chosen('PT-br'), 'pt-BR');
  t.equal(chosen('pt-PT'), 'pt');
  t.equal(chosen('de-AT'), 'en-GB');
  t.equal(chosen('de-AT', texts.slice(3)), 'en');
  t.equal(chosen('de-AT', texts.slice(0, 2)), 'own');
  t.equal(chosen('zh-Hant-TW', [text('zh-Hant', 'zh-Hant'), text('zh', 'zh')]), 'zh-Hant');
});

t.test('a template is read, changed and listed', async (t) => {
  const before = await staff.get(path);
  t.match(before.body, { key: 'order.placed', enabled: true, texts: exactly([]), audience: 'shopper' });
  t.match(before.body.variables.properties.order, { type: 'object' });
  const changed = await staff.patch(path, { texts: [text('de', 'Bestellung {{ order.number }}')] });
  t.match(changed.body, { enabled: true, texts: exactly([text('de', 'Bestellung {{ order.number }}')]) });
  t.equal((await staff.patch(path, { enabled: false })).body.texts.length, 1);
  const { items } = (await staff.get('/admin/notification-templates')).body;
  const found = items.find(({ key }: { key: string }) => key === 'order.placed');
  t.match(found, { enabled: false, locales: exactly(['de']), event: 'order.placed' });
  t.equal((await staff.patch(path, { enabled: true, texts: [] })).status, 200);
  t.equal((await staff.get('/admin/notification-templates/none')).status, 404);
  t.equal((await staff.patch('/admin/notification-templates/none', { enabled: true })).status, 404);
});

const refused: [what: string, source: string, fault: RegExp][] = [
  ['an unclosed output', 'Hello\n {{ order.number', /line 2, column 2: output .* not closed/],
  ['an unclosed tag', '{% if order %}', /line 1, column 1: tag .* not closed/],
  ['an unknown tag', '{% include "secrets" %}', /line 1, column 1: tag .* not found/],
  ['an unknown filter', '{{ order.number | raw }}', /line 1, column 1: undefined filter: raw/],
  ['an unknown variable', '\n {{ ordr.number }}', /line 2, column 5: unknown variable ordr/],
  ['an unknown property', '{{ order.numbr }}', /line 1, column 4: unknown variable order\.numbr/],
  [
    'one in a branch that the sample does not reach',
    '{% if false %}{{ nothing }}{% endif %}',
    /unknown variable nothing/,
  ],
  ['one of a loop', '{% for item in order.items %}{{ item.titel }}{% endfor %}', /unknown variable item\.titel/],
  [
    'one in a loop without rounds',
    '{% for i in order.billingAddress %}{{ i.x.y }}{% endfor %}',
    /unknown variable i\.x/,
  ],
  ['one in a condition', '{% if order.paid %}x{% endif %}', /unknown variable order\.paid/],
  ['one in an argument of a filter', '{{ order.number | append: ordr }}', /unknown variable ordr/],
  ['a loop variable after its loop', '{% for item in order.items %}{% endfor %}{{ item }}', /unknown variable item/],
  ['an endless range', '{% for i in (1..100000000) %}x{% endfor %}', /memory alloc limit exceeded/],
  ['loops in loops', '{% for i in (1..999) %}{% for j in (1..999) %}{{ i }}{% endfor %}{% endfor %}', /limit exceeded/],
  [
    'a text that doubles',
    '{% assign x = "0123456789" %}{% for i in (1..99) %}{% assign x = x | append: x %}{% endfor %}',
    /memory alloc limit exceeded/,
  ],
  ['an output of megabytes', `{% for i in (1..900) %}${'x'.repeat(1000)}{% endfor %}`, /more than 500000 characters/],
  ['the constructor of an object', '{{ order.constructor }}', /unknown variable order\.constructor/],
  ['a value that is no amount', '{{ order.number | money }}', /money formats only amounts/],
];

t.test('faulty texts are refused with their position', async (t) => {
  for (const [what, source, fault] of refused) {
    const { status, body } = await staff.patch(path, { texts: [{ ...text('en', 'x'), text: source }] });
    t.match({ status, body }, { status: 400, body: { errors: exactly([{ pointer: '/texts/0/text' }]) } }, what);
    t.match(JSON.stringify(body.errors), fault, what);
    const preview = await staff.post(`${path}/preview`, { draft: { subject: 'x', text: 'x', html: source } });
    t.match(preview, { status: 400, body: { errors: exactly([{ pointer: '/draft/html' }]) } }, `${what}, in a preview`);
  }
  t.strictSame((await staff.get(path)).body.texts, [], 'nothing was stored');
  const twice = await staff.patch(path, { texts: [text('en', 'x'), text('en', 'y')] });
  t.match(twice, { status: 400, body: { errors: exactly([{ pointer: '/texts/1/locale' }]) } });
});

t.test('texts may use what they assign, loops, and the common variables', async (t) => {
  const source = `{% assign first = order.items | first %}{% capture line %}{{ first.title }}{% endcapture %}
    {% for item in order.items %}{{ forloop.index }} {{ item.unitPrice.amount | money_or }}{% endfor %}`;
  t.equal((await staff.patch(path, { texts: [{ ...text('en', 'x'), text: source }] })).status, 400);
  const { status } = await staff.patch(path, {
    texts: [{ ...text('en', '{{ store.name }}, {{ locale }}'), text: source.replace(' | money_or', '') }],
  });
  t.equal(status, 200);
  t.equal((await staff.patch(path, { texts: [] })).status, 200);
});

t.test('previews use a draft, a locale and the layout', async (t) => {
  const draft = {
    subject: '{{ order.totals.total | money }}\n{{ order.createdAt | date }}',
    text: '{{ order.customer.name }}',
    html: '<p>{{ order.customer.name }}</p>',
  };
  const { body } = await staff.post(`${path}/preview`, { locale: 'de-DE', draft });
  t.equal(body.subject.replaceAll('\u00a0', ' '), '39,88 € 1. März 2026');
  t.match(body.html, /^<!doctype html>\n<html lang="de-DE" dir="ltr">(.|\n)*<p>Ada Lovelace<\/p>/);
  const document = { ...draft, html: '<html><body>{{ order.number }}</body></html>' };
  const whole = await staff.post(`${path}/preview`, { draft: document });
  t.equal(whole.body.html, '<html><body>ORD-1001</body></html>');
});

t.test('names cannot inject HTML or headers', async (t) => {
  const title = '<img src=x onerror=alert(1)>\r\nBcc: all@shopper.example';
  const variantId = await createProduct(box, title);
  await staff.patch(path, {
    texts: [
      {
        locale: 'en',
        subject: 'Hello {{ order.items[0].title }}{{ order.customer.name }}\r\nX-Injected: yes',
        text: 'x',
        html: '{{ order.items[0].title }}',
      },
    ],
  });
  await placeOrder(box, variantId, { email: 'evil@shopper.example', name: `Visit evil.example ${title}` });
  const [mail] = await mailsWhere(server, 1, ({ to }) => to === 'evil@shopper.example');
  t.notMatch(mail?.raw, /evil\.example/, 'it does not look like a name');
  t.notMatch(mail?.html, '<img');
  t.match(mail?.html, '&lt;img src=x onerror=alert(1)&gt;');
  t.notMatch(mail?.raw.split('\r\n\r\n')[0], /^(Bcc|X-Injected):/im);
  t.equal(mail?.subject, 'Hello <img src=x onerror=alert(1)> Bcc: all@shopper.example X-Injected: yes');
  await staff.patch('/admin/store', { name: 'Store "A" <x@y.example>' });
  await placeOrder(box, variantId, { email: 'name@shopper.example' });
  const [named] = await mailsWhere(server, 1, ({ to }) => to === 'name@shopper.example');
  t.match(named, { from: 'box@mail.example', fromName: 'Store "A" <x@y.example>' });
  const lines = { email: 'evil@shopper.example\r\nBcc: all@shopper.example' };
  const order = await box.shopper().post('/checkout', { customer: lines });
  t.match(order, { status: 400, body: { errors: exactly([{ pointer: '/customer/email' }]) } });
  const injected = { settings: { notification: { senderName: 'Store\r\nBcc: all@shopper.example' } } };
  t.equal((await staff.patch('/admin/store', injected)).status, 400);
});

t.test('the name of a member cannot inject HTML, and is not in mails to unverified addresses', async (t) => {
  const email = 'member@shopper.example';
  const isOwn = ({ to }: { to: string }) => to === email;
  const name = '<b>Ada</b> win at casino.example';
  const shopper = box.shopper();
  t.equal((await shopper.post('/member/register', { email, name, password: 'correct horse battery' })).status, 202);
  const [confirmation] = await mailsWhere(server, 1, isOwn);
  t.notMatch(confirmation?.raw, /casino/);
  const [token] = /mbv_[\w-]+/.exec(confirmation?.text ?? '') ?? [];
  t.equal((await shopper.post('/member/email/verify', { token })).status, 204);
  const [, welcome] = await mailsWhere(server, 2, isOwn);
  t.match(welcome?.html, '&lt;b&gt;Ada&lt;/b&gt;');
  t.notMatch(welcome?.html, '<b>');
});

t.test('only staff who manage staff change mails with secrets to staff', async (t) => {
  const invite = await staff.post('/admin/invites', { email: 'manager@staff.example', role: 'manager' });
  const password = 'correct horse battery';
  await box.visitor().post('/admin/invites/accept', { token: invite.body.token, name: 'Max', password });
  const login = await box.visitor().post('/admin/auth/login', { email: 'manager@staff.example', password });
  const manager = as(login.body.token);
  const asManager = (key: string) =>
    manager.patch(`/admin/notification-templates/${key}`, { texts: [text('en', '{{ token }}')] });
  t.match(await asManager('staff.invited'), { status: 403, body: { code: 'template_reserved' } });
  t.match(await asManager('staff.password_reset_requested'), { status: 403, body: { code: 'template_reserved' } });
  t.equal((await asManager('stock.low')).status, 400, 'no token there, but the change is allowed');
  const own = { texts: [text('en', 'Welcome {{ store.name }}')] };
  t.equal((await staff.patch('/admin/notification-templates/staff.invited', own)).status, 200);
});

t.test('a test goes to the caller', async (t) => {
  const sent = await staff.post(`${path}/test`, { locale: 'de' });
  t.match(sent, { status: 200, body: { recipient: box.email } });
  const [mail] = await mailsWhere(server, 1, ({ messageId }) => messageId === sent.body.messageId);
  t.match(mail, { to: box.email, subject: /^\[Test\] / });
  server.behaviour = { recipient: () => ({ code: 550, text: 'no such user' }) };
  t.match(await staff.post(`${path}/test`, {}), { status: 502, body: { code: 'mail_not_accepted', detail: /550/ } });
  server.behaviour = {};
  const key = await staff.post('/admin/api-keys', { name: 'ERP', kind: 'secret', scopes: ['notification:write'] });
  const asKey = await as(key.body.key ?? key.body.token).post(`${path}/test`, {});
  t.match(asKey, { status: 409, body: { code: 'no_own_address' } });
});

t.test('a disabled mail is not sent', async (t) => {
  const variantId = await createProduct(box, 'Bowl');
  await staff.patch(path, { enabled: false });
  const { id } = await placeOrder(box, variantId, { email: 'none@shopper.example' });
  await staff.post(`/admin/orders/${id}/cancel`, {});
  const [mail] = await mailsWhere(server, 1, ({ to }) => to === 'none@shopper.example');
  t.match(mail?.subject, /is canceled$/);
});
