// Keys of hashes that whoever may change the database must not be able to compute. secret: encrypted, bound to its row.
export const up = (knex) =>
  knex.raw(`
    create table hash_keys (
      id uuid primary key,
      purpose text not null constraint hash_keys_purpose unique,
      secret text not null,
      created_at timestamptz(3) not null default now()
    )
  `);

export const down = (knex) => knex.raw('drop table hash_keys');
