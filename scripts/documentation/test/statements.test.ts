/**
 * The statements.sql of packages: what a sample sends, how it is written, and which composed texts lack a sample.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type StatementSamples, statementsOfSamples } from '@carton/runtime/testing';
import t from 'tap';
import { isChecked } from '../../checks/checks.ts';
import { composedIn, statementsOfPackages, statementsText } from '../statements.ts';

const sent = async (samples: StatementSamples) =>
  [...(await statementsOfSamples(samples, []))].map(([name, statements]) => [
    name,
    ...statements.map(({ text }) => text),
  ]);

t.test('a sample sends its statements without a database', async (t) => {
  const one = 'select 1 where $1::uuid is not null';
  const two = 'select 2 where $1::uuid is not null';
  t.strictSame(
    await sent({
      plain: ({ db }) => db.query(one),
      'a transaction in it': ({ db }) => db.transaction((tx) => tx.query(two)),
      'a builder': ({ db }) => db.table('notes').select('title').where('isPinned', true).limit(3),
      'an insertion': ({ db, id }) => db.insert('notes', { id, title: 'A' }),
      'of the box': ({ database }) => database.box.query('select 3'),
      'rows of an answer': async ({ db, answer }) => {
        answer([{ title: 'A' }]);
        const [row] = await db.query<{ title: string }>(one);
        if (row?.title === 'A') await db.query(two);
      },
      'no rows': async ({ db }) => {
        const [row] = await db.query<{ title: string }>(one);
        await db.query((row as { title: string }).title);
      },
    }),
    [
      ['plain', one],
      ['a transaction in it', two],
      ['a builder', 'select "title" from "notes" where "notes"."tenant_id" = $1 and "is_pinned" = $2 limit $3'],
      ['an insertion', 'insert into "notes" (tenant_id, "id", "title") values ($1, $2, $3) returning *'],
      ['of the box', 'select 3'],
      ['rows of an answer', one, two],
      ['no rows', one],
    ],
  );
  await t.rejects(sent({ none: () => {} }), /the sample none sends no statement/);
  const failing = () => {
    throw new Error('wrong arguments');
  };
  await t.rejects(sent({ failing }), { message: /the sample failing fails/, cause: { message: 'wrong arguments' } });
});

t.test('a file has the statements with the types of their parameters', (t) => {
  const found = new Map([
    ['find', [{ text: "select a from b where tenant_id = $1 and c = $2 and d = 'A  b'", values: ['t', null] }]],
    [
      'both',
      [
        { text: 'select $1', values: ['t'] },
        { text: 'select $2', values: ['t', ['x']] },
      ],
    ],
  ]);
  t.equal(
    statementsText('@carton/note', found),
    `-- Statements that @carton/note composes of parts, as the samples of testing/statements.ts send them.
-- Written by \`npm run documentation\`.

-- find
-- $2 null
select
  a
from
  b
where
  tenant_id = $1
  and c = $2
  and d = 'A  b';

-- both
select
  $1;

-- $2 string[]
select
  $2;
`,
  );
  t.end();
});

t.test('what is composed of parts', async (t) => {
  const composed = await composedIn(
    'store.ts',
    [
      'const columns = `id, #{title}`;',
      'const note = `select #{columns} from notes where tenant_id = $1`;',
      'const plain = `select id from notes where tenant_id = $1`;',
      'const message = `no note #{id}`;',
    ]
      .join('\n')
      .replaceAll('#', '$'),
  );
  t.strictSame(
    composed.map(({ line, parts }) => [line, ...parts]),
    [[2, 'select ', ' from notes where tenant_id = $1']],
  );
});

t.test('each composed text is sent by a sample', async (t) => {
  const store = [
    'const own = (at) => `notes.owner_id = #{at}::uuid and tenant_id = $1`;',
    "export const find = (db) => db.query(`select #{'id'} from notes where #{own('$2')} limit 1`, [1]);",
    "export const pin = (db) => db.query(`update notes set pinned = #{'true'} where tenant_id = $1`);",
  ].join('\n');
  const samples = "import { find } from '../store.ts';\nexport const statements = { find: ({ db }) => find(db) };\n";
  const folder = t.testdir();
  const sources = {
    'vendor/note/store.ts': store,
    'vendor/note/testing/statements.ts': samples,
    'vendor/note/test/store.ts': store,
    'vendor/shelf/shelf-store.ts':
      'export const all = (at) => `select * from shelves where #{at} = tenant_id limit 9`;',
  };
  for (const [file, text] of Object.entries(sources)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text.replaceAll('#', '$'));
  }
  const { texts, faults } = await statementsOfPackages(folder, Object.keys(sources), []);
  t.strictSame([...texts.keys()], ['vendor/note/statements.sql']);
  t.match(texts.get('vendor/note/statements.sql'), /-- find\n-- \$2 number\nselect\n {2}id\nfrom\n {2}notes\n/);
  t.strictSame(faults, [
    'vendor/note/store.ts:3: no sample of a testing/statements.ts sends what is composed here',
    'vendor/shelf/shelf-store.ts:1: no sample of a testing/statements.ts sends what is composed here',
  ]);
  t.ok(isChecked('documentation -- --check'), 'npm run check compares the files');
});
