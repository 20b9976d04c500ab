/**
 * The check of the shape of packages: each rule on small packages, and the packages of the project.
 */
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { root } from '../../test/support/stack.ts';
import { isChecked } from '../checks.ts';
import { faultsOf, isSql, mostFiles, mostParameters, readTables, tablesIn } from '../shape/rules.ts';

const migrations = {
  'vendor/note/migrations/20260301000000_note_create_notes.js': 'knex.raw(`create table notes (tenant_id uuid)`)',
  'vendor/shelf/migrations/20260301000001_shelf_create.js': 'knex.raw(`create table if not exists shelves (id uuid)`)',
};

/** The faults of the package `note` with these sources, a line each: rule, file, line, table. */
async function faultsIn(t: Test, sources: Record<string, string>): Promise<string[]> {
  const folder = t.testdir();
  for (const [file, text] of Object.entries({ ...migrations, ...sources })) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const faults = await faultsOf(folder, 'note', readTables(folder));
  return faults.map(({ rule, place, line, table }) => [rule, place, line, table].filter(Boolean).join(' '));
}

const select =
  "import { db } from 'x';\n\nexport const all = () => db.query('select * from notes where tenant_id = $1');\n";

t.test('SQL is in stores', async (t) => {
  t.strictSame(
    await faultsIn(t, {
      'vendor/note/service.ts': select,
      'vendor/note/store.ts': select,
      'vendor/note/pins/search-store.ts': select,
      'vendor/note/pins/restore.ts': select,
      'vendor/note/test/notes.test.ts': select,
      'vendor/note/inserts.ts': "db.insert('notes', { id });",
      'vendor/note/rows.ts': "export const notes = rows({ table: 'notes' });",
      'vendor/note/fragment.ts': 'export const own = (at) => `notes.owner = $' + '{at}`;',
      'vendor/note/prose.ts':
        "export const summary = 'Taken from then on, until staff change it';\nset.remove('notes of others');",
    }),
    [
      'sql vendor/note/fragment.ts 1',
      'sql vendor/note/inserts.ts 1',
      'sql vendor/note/pins/restore.ts 3',
      'sql vendor/note/rows.ts 1',
      'sql vendor/note/service.ts 3',
    ],
  );
});

t.test('a statement names tables of its own package', async (t) => {
  t.strictSame(
    await faultsIn(t, {
      'vendor/note/store.ts': [
        "db.query('select * from notes join shelves on shelves.id = notes.id where notes.tenant_id = $1');",
        "db.query('select title as shelf from notes where tenant_id = $1');",
        `db.query("select * from notes where tenant_id = $1 and kind = 'shelves'");`,
      ].join('\n'),
      'vendor/note/other-store.ts': "db.remove('shelves', { id });",
      'vendor/note/written-store.ts': "db.query('insert into shelves (tenant_id) values ($1)');",
    }),
    [
      'table vendor/note/other-store.ts 1 shelves',
      'table vendor/note/store.ts 1 shelves',
      'table vendor/note/written-store.ts 1 shelves',
    ],
  );
});

t.test('a statement has few parameters', async (t) => {
  const select = (parameter: number) =>
    `db.query('select * from notes where tenant_id = $1 and place = $${parameter}');\n`;
  t.strictSame(
    await faultsIn(t, {
      'vendor/note/store.ts': select(mostParameters) + select(mostParameters + 1),
      'vendor/note/fragment-store.ts': `export const values = \`notes.place in ($${mostParameters + 1}, $2)\`;`,
      'vendor/note/money.ts': "export const prices = 'from $13 to $99';",
    }),
    ['parameters vendor/note/fragment-store.ts 1', 'parameters vendor/note/store.ts 2'],
  );
});

t.test('problems and schemas are in their files', async (t) => {
  const problem = "export const full = defineProblem({ code: 'full', status: 409, title: 'Full' });";
  const schemas = "export const Note = object({ text }, { $id: 'Note' });";
  t.strictSame(
    await faultsIn(t, {
      'vendor/note/problems.ts': problem,
      'vendor/note/pins/problems.ts': problem,
      'vendor/note/service.ts': `${problem}\n`,
      'vendor/note/schemas.ts': schemas,
      'vendor/note/view.ts': schemas,
      'vendor/note/short.ts': 'export const named = ($id) => object({ text }, { $id });',
    }),
    ['problem vendor/note/service.ts 1', 'schema vendor/note/short.ts 1', 'schema vendor/note/view.ts 1'],
  );
});

t.test('a folder with many files is divided', async (t) => {
  const files = (folder: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, number) => [`vendor/note/${folder}part${number}.ts`, '']));
  t.strictSame(
    await faultsIn(t, { ...files('', mostFiles), ...files('pins/', mostFiles + 1), ...files('test/', mostFiles + 1) }),
    ['folder vendor/note/pins'],
  );
});

t.test('what is SQL', async (t) => {
  const statements = [
    'select 1',
    ' with one as (select 1) select',
    'insert into notes',
    'update notes set title = x',
    'delete from notes',
  ];
  const fragments = [
    'notes.status = ',
    'and tenant_id = ',
    'coalesce(x, 0)',
    'case when x then y end',
    ' order by title',
  ];
  t.strictSame(
    [...statements, ...fragments].filter((text) => !isSql(text)),
    [],
  );
  const prose = [
    'Select a note',
    'Update the note',
    'from this time on',
    'order.balance.amount > 0',
    'To find your order by your name',
    'with notes as usual',
  ];
  t.strictSame(prose.filter(isSql), []);
  t.strictSame(
    tablesIn(
      "select notes.id, 'shelves', shelves() from notes",
      new Map([
        ['notes', 'a'],
        ['shelves', 'b'],
      ]),
    ),
    ['notes'],
  );
});

t.test('the packages of the project', async (t) => {
  const tables = readTables(root);
  const faults = await Promise.all(readdirSync(join(root, 'vendor')).map((name) => faultsOf(root, name, tables)));
  t.strictSame(faults.flat(), []);
  t.ok(isChecked('npm', 'run', '-s', 'shape'), 'npm run check runs it');
});
