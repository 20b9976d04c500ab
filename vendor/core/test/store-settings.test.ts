/**
 * A package adds settings to the store.
 */
import { createTestBox, exactly, writePackage } from '@carton/runtime/testing';
import t from 'tap';

const index = `
import { changeStore, findStore, storeSettings, storeSettingsGroups } from '@carton/core';
import { definePackage, extensionPoint, nullable, object, oneOf, route, Type } from '@carton/runtime';

const tools = extensionPoint('engraving.tools');
const engraving = storeSettings('engraving', {
  tool: nullable(Type.String({ default: null, description: 'What engraves' })),
  longest: Type.Integer({ minimum: 1, maximum: 99, default: 20, description: 'Most letters' }),
  fonts: Type.Array(oneOf(['serif', 'script']), { default: ['serif'] }),
}, undefined, (box) => ({ tool: tools.of(box) }));

const readEngraving = route(
  {
    method: 'get', path: '/engraving', operationId: 'readEngraving', tag: 'Engraving', summary: 'Read what can be engraved',
    access: 'public', status: 200,
    response: object({ longest: Type.Integer(), fonts: Type.Array(Type.String()) }),
  },
  async ({ db }) => engraving.of(await findStore(db)),
);

export default definePackage({ routes: [readEngraving], extends: [storeSettingsGroups.with(engraving), tools.with('laser')] });
`;
const written = await writePackage(t, { name: 'engraving', dependencies: ['core', 'tenant', 'auth'], index });
const box = await createTestBox(t, { ...written, database: 'empty' });
const path = '/admin/store';

t.test('an existing store has them with their defaults', async (t) => {
  const { status, body } = await box.staff.get(path);
  t.equal(status, 200);
  t.strictSame(body.settings.engraving, { tool: null, longest: 20, fonts: ['serif'] });
  t.strictSame((await box.visitor().get('/engraving')).body, { longest: 20, fonts: ['serif'] });
});

t.test('a change is merged into the stored settings and applies immediately', async (t) => {
  await box.staff.patch(path, { settings: { engraving: { fonts: ['serif', 'script'] } } });
  const { status, body } = await box.staff.patch(path, { settings: { engraving: { longest: 12 } } });
  t.equal(status, 200);
  t.strictSame(body.settings.engraving, { tool: null, longest: 12, fonts: ['serif', 'script'] });
  t.strictSame((await box.visitor().get('/engraving')).body, { longest: 12, fonts: ['serif', 'script'] });
  const [stored] = await box.db.query<{ settings: unknown }>('select settings from stores where tenant_id = $1');
  t.strictSame(stored?.settings, { engraving: { longest: 12, fonts: ['serif', 'script'] } });
});

t.test('concurrent changes are all applied', async (t) => {
  const changes = Array.from({ length: 8 }, (_, at) =>
    box.staff.patch(path, {
      settings: { engraving: at % 2 === 0 ? { longest: 40 } : { fonts: ['script'] } },
    }),
  );
  for (const { status } of await Promise.all(changes)) t.equal(status, 200);
  const { body } = await box.staff.get(path);
  t.strictSame(body.settings.engraving, { tool: null, longest: 40, fonts: ['script'] });
});

t.test('each tenant has its own settings', async (t) => {
  const other = await box.openTenant();
  t.match((await other.staff.get(path)).body.settings.engraving, { longest: 20, fonts: exactly(['serif']) });
});

t.test('an invalid value is refused with a pointer to it', async (t) => {
  const cases: [object, string][] = [
    [{ engraving: { longest: 0 } }, '/settings/engraving/longest'],
    [{ engraving: { fonts: ['gothic'] } }, '/settings/engraving/fonts/0'],
    [{ engraving: { depth: 1 } }, '/settings/engraving/depth'],
    [{ engraving: { tool: 'chisel' } }, '/settings/engraving/tool'],
    [{ engraving: {} }, '/settings/engraving'],
    [{ painting: { longest: 1 } }, '/settings/painting'],
  ];
  for (const [settings, pointer] of cases) {
    const { status, body } = await box.staff.patch(path, { settings });
    t.equal(status, 400, pointer);
    t.ok(
      body.errors.some((error: { pointer: string }) => error.pointer === pointer),
      pointer,
    );
  }
});

t.test('a name is one that packages contribute; another, which is stored, is shown as null and kept', async (t) => {
  const { staff, db } = await box.openTenant();
  const toolOf = (answer: { body: { settings: { engraving: { tool: unknown } } } }) =>
    answer.body.settings.engraving.tool;
  t.equal(toolOf(await staff.patch(path, { settings: { engraving: { tool: 'laser' } } })), 'laser');
  await db.query(`update stores set settings = '{"engraving": {"tool": "chisel"}}' where tenant_id = $1`);
  t.equal(toolOf(await staff.get(path)), null);
  t.equal(toolOf(await staff.patch(path, { settings: { engraving: { longest: 9 } } })), null);
  const [stored] = await db.query<{ settings: object }>('select settings from stores where tenant_id = $1');
  t.strictSame(stored?.settings, { engraving: { tool: 'chisel', longest: 9 } });
  const { components } = (await box.box.document()) as unknown as {
    components: { schemas: Record<string, { properties: { engraving: { properties: { tool: { enum: unknown } } } } }> };
  };
  t.strictSame(components.schemas.StorePackageSettings?.properties.engraving.properties.tool.enum, ['laser', null]);
});

t.test('the document describes them, and If-Match applies to them', async (t) => {
  const { components } = (await box.box.document()) as unknown as {
    components: { schemas: Record<string, { properties: Record<string, { properties: object }> }> };
  };
  t.strictSame(Object.keys(components.schemas.StorePackageSettings?.properties.engraving?.properties ?? {}), [
    'tool',
    'longest',
    'fonts',
  ]);
  const { headers } = await box.staff.get(path);
  const etag = headers.get('etag') as string;
  const changed = await box.staff.patch(
    path,
    { settings: { engraving: { longest: 5 } } },
    { headers: { 'if-match': etag } },
  );
  t.equal(changed.status, 200);
  t.equal(
    changed.headers.get('etag'),
    (await box.staff.get(path)).headers.get('etag'),
    'the response has the ETag of a read',
  );
});
