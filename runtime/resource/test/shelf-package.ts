/**
 * A box with a package of the tests that declares a resource, shelves, whose boxes are rows without routes.
 */
import type { Test } from 'tap';
import { createTestBox, writePackage } from '../../testing/index.ts';

const index = `
import {
  defineEvent, defineProblem, definePackage, HandleOrId, integrationQuery, looksLikeId, object, publishedWrites, publishRow, replaceRows, resourceEvents, resource, rows, shapesOf, Type,
} from '@carton/runtime';

const nameTaken = defineProblem({ code: 'shelf_name_taken', status: 409, title: 'Another shelf has this name' });
const shapes = shapesOf({
  name: 'Shelf',
  fields: { name: Type.String({ minLength: 1 }), height: Type.Integer({ default: 3 }), labels: Type.Array(Type.String(), { default: [] }) },
  immutable: { room: Type.String() },
  readOnly: { boxes: Type.Integer() },
});
export const shelves = rows({
  table: 'shelves', noun: 'shelf', json: ['labels', 'metadata'], softDelete: true,
  computed: { boxes: 'select count(*)::int from boxes where boxes.tenant_id = shelves.tenant_id and boxes.shelf_id = shelves.id' },
  duplicates: { shelves_name: nameTaken },
  words: { table: 'shelf_words', id: 'shelf_id', texts: ['name'], copies: ['room'] },
  filters: { atLeast: (rows, height) => rows.where('shelves.height', '>=', height) },
  sorts: { highest: { column: 'height', direction: 'desc' }, name: { column: 'name', direction: 'asc' } },
});
export const boxes = rows({ table: 'boxes', noun: 'box' });
export const filled = rows({
  table: 'shelves', noun: 'shelf', choices: { room: ['Attic', 'Hall'] },
  changeSource: { table: 'boxes', id: 'shelf_id', resource: 'shelves' },
});
const Seen = object({ id: shapes.Item.properties.id, name: Type.String() }, { $id: 'SeenShelf' });

export const replaceBoxes = (tx, shelfId, current, wanted) => replaceRows(tx, 'boxes', { shelfId }, 'id', current, wanted);
const emptied = defineEvent({
  type: 'shelf.emptied', summary: 'A shelf was emptied',
  payload: object({ name: Type.String(), boxes: Type.Integer(), by: Type.String() }),
});
const shelfEvents = resourceEvents({
  type: 'shelf', noun: 'shelf', payload: object({ name: Type.String(), boxes: Type.Integer() }),
});
export const writes = publishedWrites(shelves, shelfEvents, 'shelf');
const common = { noun: 'shelf', plural: 'shelves', tag: 'Shelves', rows: shelves, beyond: true };

export default definePackage({ events: [emptied, ...Object.values(shelfEvents)], routes: [...resource({
  ...common, path: '/shelves', access: 'public', item: Seen,
  read: {
    params: HandleOrId('top'), query: object({ loud: Type.Optional(Type.Boolean()) }),
    run: async ({ db, params: { handle }, query }) => {
      const shelf = await (looksLikeId(handle) ? shelves.require(db, handle) : shelves.findBy(db, { name: handle }));
      return { ...shelf, name: query.loud ? shelf.name.toUpperCase() : shelf.name };
    },
  },
}), ...resource({
  ...common, path: '/admin/shelves', access: 'staff', item: shapes.Item,
  list: {
    query: integrationQuery({
      q: Type.Optional(Type.String()), room: Type.Optional(Type.String()), atLeast: Type.Optional(Type.Integer()),
      sort: Type.Optional(Type.Unsafe({ type: 'string', enum: ['highest', 'name'] })),
    }),
    page: shapes.Page,
  },
  create: { body: shapes.Create, problems: [nameTaken], run: ({ db, body }) => shelves.insert(db, body) },
  read: { summary: 'Inspect a shelf' },
  change: { body: shapes.Change, problems: [nameTaken], run: ({ db, params, body }) => shelves.change(db, params.id, body) },
  remove: {},
  actions: {
    empty: {
      problems: [nameTaken],
      run: ({ db, params }) => db.transaction(async (tx) => {
        const shelf = await shelves.lock(tx, params.id);
        for (const { id } of await boxes.lockAllBy(tx, { shelfId: shelf.id })) await boxes.remove(tx, id);
        await publishRow(tx, emptied, 'shelf', shelf, { by: 'staff' });
        return shelves.require(tx, shelf.id);
      }),
    },
  },
})] });
`;
const migration = `
export const up = (knex) => knex.raw(\`
  create table shelves (
    tenant_id uuid not null references tenants (id), id uuid not null, name text not null, height integer not null,
    labels jsonb not null, room text not null, external_id text, metadata jsonb not null default '{}',
    created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now(), deleted_at timestamptz(3),
    primary key (tenant_id, id));
  create unique index shelves_name on shelves (tenant_id, name) where deleted_at is null;
  create unique index shelves_external_id on shelves (tenant_id, external_id);
  create table shelf_words (
    tenant_id uuid not null, shelf_id uuid not null, word_from text collate "C" not null, room text not null,
    primary key (tenant_id, shelf_id, word_from),
    foreign key (tenant_id, shelf_id) references shelves (tenant_id, id) on delete cascade);
  create table boxes (
    tenant_id uuid not null, id uuid not null, shelf_id uuid not null, primary key (tenant_id, id),
    created_at timestamptz(3) not null default now(), updated_at timestamptz(3) not null default now(),
    foreign key (tenant_id, shelf_id) references shelves (tenant_id, id))\`);
export const down = (knex) => knex.raw('drop table boxes, shelf_words, shelves');
`;

/** The box, and what the package exports besides its definition. */
export async function createShelfBox(t: Test) {
  const written = await writePackage(t, { name: 'shelf', dependencies: ['core', 'auth'], index, migration }, [
    'tenant',
  ]);
  const box = await createTestBox(t, { ...written, tier: 'basic' });
  const { shelves, boxes, filled, replaceBoxes, writes } = await import(
    new URL('vendor/shelf/index.ts', `file://${written.packagesFrom}`).href
  );
  return { box, shelves, boxes, filled, replaceBoxes, writes };
}

/** Where staff read and write shelves. */
export const path = '/admin/shelves';
