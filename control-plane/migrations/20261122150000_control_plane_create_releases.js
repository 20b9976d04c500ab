export const up = (knex) =>
  knex.raw(`
    -- A release never changes: the same version always means the same packages.
    create table releases (
      version text primary key,
      packages jsonb not null,
      -- SHA-256 of the packages, in hexadecimal: tells whether a version that is published again is the same.
      digest text not null,
      created_at timestamptz(3) not null default now()
    );

    create table release_channels (
      name text primary key,
      version text not null references releases (version),
      published_at timestamptz(3) not null default now()
    );
  `);

export const down = (knex) => knex.raw('drop table release_channels, releases');
