/**
 * Integrators can follow each list of staff, and its items have an external id. The exceptions are exactly those in the table
 * of docs/clients.md.
 */
import { readFile } from 'node:fs/promises';
import type { TObject } from '@carton/runtime';
import { createTestBox, exactly, until } from '@carton/runtime/testing';
import t from 'tap';
import { fillTenant } from '../../tools/plans/full-tenant.ts';

const box = await createTestBox(t);
const declarations = box.box.routes.map(({ declaration }) => declaration);
const propertiesOf = (schema: unknown) => Object.keys((schema as TObject | undefined)?.properties ?? {});
const lists = declarations.filter(
  ({ method, access, query }) =>
    method === 'get' && [access].flat().includes('staff') && propertiesOf(query).includes('cursor'),
);

function hasOf(query: unknown): string {
  const own = propertiesOf(query).filter((name) => name === 'externalId' || name === 'updatedAfter');
  return own.length === 2 ? 'both' : own.length === 0 ? 'neither' : `\`${own}\``;
}

t.test('the table of exceptions is exact', async (t) => {
  const text = await readFile(new URL('../../docs/clients.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `(GET \/admin\/\S+)` *\| (\S+) *\|/gm)].map(([, list, has]) => `${list}: ${has}`);
  const found = lists.map(({ path, query }) => `GET ${path}: ${hasOf(query)}`).filter((line) => !line.endsWith('both'));
  t.strictSame(found.sort(), rows.sort());
});

t.test('items of lists with externalId have externalId and metadata, which creation and change accept', async (t) => {
  const listed = lists.filter(({ query }) => propertiesOf(query).includes('externalId'));
  t.ok(listed.length >= 10);
  for (const { path, response } of listed) {
    const item = (response as TObject).properties.items?.items;
    t.strictSame(missing(item), [], `${path} returns them`);
    const changes = declarations.filter(
      (other) => other.body && (other.path === path || other.path === `${path}/:id`) && /post|patch/.test(other.method),
    );
    for (const { method, path, body, problems, upload } of changes) {
      // A form has only text fields: the metadata of what is uploaded are set by a change.
      t.strictSame(missing(body), upload ? ['metadata'] : [], `${method} ${path} accepts them`);
      t.ok(
        problems?.some(({ code }) => code === 'external_id_taken'),
        `${method} ${path} declares the conflict`,
      );
    }
  }
});

t.test('an externalId finds its item, is unique, and appears in the changes', async (t) => {
  await fillTenant(box, box);
  const { staff } = box;
  for (const { path, query } of lists) {
    if (!propertiesOf(query).includes('externalId')) continue;
    if (!declarations.some((other) => other.method === 'patch' && other.path === `${path}/:id`)) continue;
    const [first, second] = (await staff.get(path)).body.items;
    if (!first) {
      t.fail(`${path} has no item to change: add one in tools/plans/full-tenant.ts`);
      continue;
    }
    const from = (await staff.get(`${path}?updatedAfter=${new Date().toISOString()}`)).body.updatedUntil;
    const patch = { externalId: 'ERP-1', metadata: { seen: true } };
    t.match(await staff.patch(`${path}/${first.id}`, patch), { status: 200, body: patch }, path);
    if (second) {
      const conflict = { status: 409, body: { code: 'external_id_taken' } };
      t.match(await staff.patch(`${path}/${second.id}`, { externalId: 'ERP-1' }), conflict, path);
    }
    const found = (await staff.get(`${path}?externalId=ERP-1`)).body.items;
    t.match(found, exactly([{ id: first.id, ...patch }]), path);
    t.equal(found.length, 1, path);
    const changes = await until(
      async () => (await staff.get(`${path}?updatedAfter=${from}&limit=100`)).body.items,
      (items) => items.some(({ id, externalId }: { id: string; externalId: string }) => id === first.id && externalId),
    );
    t.match(changes.at(-1), { id: first.id, ...patch }, `${path}: the last change`);
  }
});

t.test('lists return 410 for changes that are too old', async (t) => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  await box.owner.query('update tenants set created_at = $2 where id = $1', [box.id, daysAgo(400)]);
  const followed = lists.filter(({ query }) => propertiesOf(query).includes('updatedAfter'));
  t.ok(followed.length >= 11);
  for (const { path } of followed) {
    t.match(
      await box.staff.get(`${path}?updatedAfter=${daysAgo(100)}`),
      { status: 410, body: { code: 'changes_forgotten' } },
      path,
    );
    t.match(await box.staff.get(`${path}?updatedAfter=${daysAgo(401)}`), { status: 200 }, path);
  }
});

function missing(schema: unknown): string[] {
  return ['externalId', 'metadata'].filter((name) => !propertiesOf(schema).includes(name));
}
