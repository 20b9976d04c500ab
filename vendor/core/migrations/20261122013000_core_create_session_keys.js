export const up = (knex) =>
  knex.raw(`
    -- What shoppers' sessions are signed with; of the box, since one key serves all its shops.
    create table session_keys (
      id integer primary key check (id between 1 and 65535),
      secret bytea not null,
      created_at timestamptz(3) not null default now()
    );
  `);

export const down = (knex) => knex.raw('drop table session_keys');
