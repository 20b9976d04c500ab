/**
 * A package with uploads and a streamed export: motifs are uploaded to a folder or read as a stream, and all prints are
 * exported.
 */
import type { Cleanup } from '../testing/box.ts';
import { writePackage } from '../testing/written-package.ts';

const migration = `export const up = (knex) =>
  knex.raw(\`
    create table prints (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      title text not null,
      sha256 text not null,
      created_at timestamptz not null default date_trunc('milliseconds', now()),
      primary key (tenant_id, id)
    );
    create index prints_newest on prints (tenant_id, created_at, id);
  \`);
export const down = (knex) => knex.raw('drop table prints');
`;

const index = `import { readFile } from 'node:fs/promises';
import { definePackage, eachRow, newId, object, route, type Static, Type, Uuid } from '@carton/runtime';

const title = Type.String({ minLength: 1, maxLength: 200, examples: ['A lighthouse'] });
const Print = object({ id: Uuid, title, sha256: Type.String() }, { $id: 'Print' });
type Print = Static<typeof Print>;
const motif = { size: 1_000_000, mediaTypes: ['image/png', 'text/plain'] };

const createPrint = route(
  {
    method: 'post', path: '/admin/prints', operationId: 'createPrint', tag: 'Prints', summary: 'Upload a motif',
    access: 'staff', body: object({ title, copies: Type.Optional(Type.Integer({ minimum: 1 })) }), upload: { files: { motif } },
    idempotent: true, status: 201, response: Print,
  },
  async ({ db, body, files: { motif: [file] } }) => {
    if (!file || (await readFile(file.path)).length !== file.size) throw new Error('the motif is missing');
    return db.insert<Print>('prints', { id: newId(), title: body.title, sha256: file.sha256 });
  },
);

const weighPrints = route(
  {
    method: 'post', path: '/admin/prints/weigh', operationId: 'weighPrints', tag: 'Prints', summary: 'Weigh motifs',
    access: 'staff', upload: { files: { motif: { ...motif, count: 3 } }, streamed: true },
    status: 200, response: object({ bytes: Type.Integer() }),
  },
  async ({ files }) => {
    let bytes = 0;
    for await (const { content } of files) for await (const piece of content) bytes += piece.length;
    return { bytes };
  },
);

const exported = { rows: 0, ended: true };
const filler = ' '.repeat(1000);
const exportPrints = route(
  {
    method: 'get', path: '/admin/prints/export', operationId: 'exportPrints', tag: 'Prints', summary: 'All prints',
    access: 'staff', status: 200, mediaType: 'text/csv; charset=utf-8', streamed: true,
  },
  async function* ({ db }) {
    Object.assign(exported, { rows: 0, ended: false });
    try {
      for await (const { id, title } of eachRow(() => db.table<Print & { createdAt: string }>('prints'), 'prints')) {
        exported.rows += 1;
        yield id + ',' + title + filler + '\\n';
      }
    } finally {
      exported.ended = true;
    }
  },
);

const readExport = route(
  {
    method: 'get', path: '/admin/prints/exported', operationId: 'readExport', tag: 'Prints', summary: 'Read the progress of the export',
    access: 'staff', status: 200, response: object({ rows: Type.Integer(), ended: Type.Boolean() }),
  },
  () => exported,
);

export default definePackage({ routes: [createPrint, weighPrints, exportPrints, readExport] });
`;

/** Writes the package. Returns the options for `createTestBox` that mount it. */
export function printsPackage(t: Cleanup) {
  return writePackage(t, { name: 'prints', dependencies: ['core', 'auth'], index, migration }, ['tenant']);
}
