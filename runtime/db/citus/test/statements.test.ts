/**
 * A migration's SQL as the statements that Citus can run.
 */
import t from 'tap';
import { statementsOf } from '../statements.ts';

const cases: [name: string, sql: string, statements: string[]][] = [
  ['one statement', 'create table a (b int, c int)', ['create table a (b int, c int)']],
  [
    'several, with comments',
    '-- first; really\ncreate table a (b int); /* ; */ create table c (d int);',
    ['create table a (b int)', 'create table c (d int)'],
  ],
  [
    'separators in strings',
    `insert into a values ('x;''y', ';'); select 1`,
    [`insert into a values ('x;''y', ';')`, 'select 1'],
  ],
  [
    'a function',
    'create function f() returns int as $$ select 1; $$ language sql; select 2',
    ['create function f() returns int as $$ select 1; $$ language sql', 'select 2'],
  ],
  ['a tagged string', 'do $body$ begin a; b; end $body$', ['do $body$ begin a; b; end $body$']],
  [
    'an alter table of several actions',
    'alter table a drop column b, add constraint c check (d in (1, 2)), alter column "e,f" drop not null',
    [
      'alter table a drop column b',
      'alter table a add constraint c check (d in (1, 2))',
      'alter table a alter column "e,f" drop not null',
    ],
  ],
  [
    'a column with its check',
    `ALTER TABLE "a" ADD COLUMN b text not null default 'x' check (b in ('x', 'y')), add c int`,
    [
      `ALTER TABLE "a" ADD COLUMN b text not null default 'x'`,
      `ALTER TABLE "a" add check (b in ('x', 'y'))`,
      'ALTER TABLE "a" add c int',
    ],
  ],
  [
    'a reference that sets to null',
    'create table a (b int references c (d) on delete set null, foreign key (e, f) references g (e, f) on delete set null (f))',
    ['create table a (b int references c (d), foreign key (e, f) references g (e, f))'],
  ],
  [
    'a default that is a sequence',
    `alter table a alter column b set default nextval('s')`,
    ['alter table a alter column b set default (extract(epoch from clock_timestamp()) * 1000000)::bigint'],
  ],
  ['nothing', ' -- nothing\n ; ', []],
];

for (const [name, sql, statements] of cases) t.strictSame(statementsOf(sql), statements, name);
