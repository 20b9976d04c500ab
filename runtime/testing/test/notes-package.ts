/**
 * A package in a temporary folder: correct, or with routes that each violate one requirement.
 */
import type { Cleanup } from '../box.ts';
import { writePackage } from '../written-package.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table notes (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      text text not null,
      primary key (tenant_id, id)
    )
  \`);
export const down = (knex) => knex.raw('drop table notes');
`;

const correct = `import { definePackage, newId, notFound, object, route, type Static, Type, Uuid } from '@carton/runtime';

const text = Type.String({ minLength: 1, maxLength: 200, examples: ['Call the printer'] });
const Note = object({ id: Uuid, text }, { $id: 'Note' });
type Note = Static<typeof Note>;
const CreateNote = object({ text }, { $id: 'CreateNote' });

const createNote = route(
  {
    method: 'post', path: '/admin/notes', operationId: 'createNote', tag: 'Notes', summary: 'Write a note',
    access: 'staff', body: CreateNote, status: 201, response: Note, location: '/admin/notes/{id}',
  },
  ({ db, body }) => db.insert<Note>('notes', { id: newId(), ...body }),
);

const readNote = route(
  {
    method: 'get', path: '/admin/notes/:id', operationId: 'readNote', tag: 'Notes', summary: 'Read a note',
    access: 'staff', status: 200, response: Note,
  },
  async ({ db, params }) => {
    const [note] = await db.query<Note>('select id, text from notes where tenant_id = $1 and id = $2', [params.id]);
    if (!note) throw notFound('No note has the id ' + params.id);
    return note;
  },
);

const routes = [createNote, readNote];
export default definePackage({ routes });
`;

export const lineCountOfCorrect = [migration, correct].join('').split('\n').length;

/** One route for each violated requirement. */
const broken = `
import { defineProblem } from '@carton/runtime';
const shared = { tag: 'Notes', summary: 'Violates the contract', access: 'staff', status: 200, response: Note } as const;
const surprise = defineProblem({ code: 'surprise', status: 409, title: 'Undeclared' });
const cache = new Map<string, Note>();

routes.push(
  route({ ...shared, method: 'put', path: '/admin/notes/:id/undeclared', operationId: 'undeclared' }, () => {
    throw surprise();
  }),
  route(
    {
      ...shared, method: 'get', path: '/admin/notes-with-more', operationId: 'withMore',
      mediaType: 'application/json; charset=utf-8',
    },
    (() => JSON.stringify({ id: newId(), text: 'a', secret: 'b' })) as never,
  ),
  route(
    { ...shared, method: 'post', path: '/admin/notes/search', operationId: 'search', body: CreateNote },
    ({ body }) => ({ id: newId(), text: String(new RegExp(body.text, 'u')).slice(0, 200) }),
  ),
  route(
    { ...shared, method: 'patch', path: '/admin/notes-of-all', operationId: 'ofAll', body: CreateNote, permission: false },
    ({ body }) => ({ id: newId(), text: body.text }),
  ),
  route({ ...shared, method: 'get', path: '/admin/notes/:id/cached', operationId: 'cached' }, async ({ db, params }) => {
    const [note] = await db.query<Note>('select id, text from notes where tenant_id = $1 and id = $2', [params.id]);
    if (note) cache.set(note.id, note);
    const found = cache.get(params.id);
    if (!found) throw notFound('No note has the id ' + params.id);
    return found;
  }),
);
`;

/** One table for all tenants, declared as a table of the box. */
const withoutTenant = {
  migration: migration.replace('tenant_id uuid not null references tenants (id),', '').replace('tenant_id, ', ''),
  index: correct
    .replace('({ db, body }) => db.insert', '({ box, body }) => insert')
    .replace(
      "insert<Note>('notes', { id: newId(), ...body })",
      "box.database.box.query<Note>('insert into notes (id, text) values ($1, $2) returning *', [newId(), body.text]).then(([note]) => note as Note)",
    )
    .replace('({ db, params })', '({ box, params })')
    .replace('db.query<Note>', 'box.database.box.query<Note>')
    .replace('tenant_id = $1 and id = $2', 'id = $1')
    .replace('definePackage({ routes })', "definePackage({ routes, boxTables: ['notes'] })"),
};

const kinds = {
  correct: { migration, index: correct },
  broken: {
    migration,
    index: correct
      .replace('const routes = [', 'const routes: unknown[] = [')
      .replace('export default', `${broken}\nexport default`)
      .replace('{ routes }', '{ routes: routes as never }'),
  },
  withoutTenant,
  undeclaredTable: { ...withoutTenant, index: correct },
};

/** Writes the package. Returns the options for `createTestBox` that mount it. */
export function notesPackage(t: Cleanup, kind: keyof typeof kinds) {
  return writePackage(t, { name: 'notes', dependencies: ['core', 'auth'], ...kinds[kind] }, ['tenant']);
}
