export const up = (knex) =>
  knex.raw(`
    -- A key is the next one (published, not signing), then the current one, then retired.
    create table signing_keys (
      kid text primary key,
      public_key text not null,
      -- PEM (PKCS #8); erased when the key retires, for a retired key signs nothing any more.
      private_key text,
      -- Longest lifetime of a token that this key may have signed, in seconds.
      token_lifetime integer not null,
      created_at timestamptz(3) not null default now(),
      signs_since timestamptz(3),
      retired_at timestamptz(3),
      verifies_until timestamptz(3),
      check (retired_at is null or signs_since is not null),
      check ((retired_at is null) = (private_key is not null)),
      check ((retired_at is null) = (verifies_until is null))
    );

    -- One key signs and one comes next, whoever else tries to make another.
    create unique index signing_keys_next on signing_keys ((true)) where signs_since is null;
    create unique index signing_keys_current on signing_keys ((true))
      where signs_since is not null and retired_at is null;
  `);

export const down = (knex) => knex.raw('drop table signing_keys');
