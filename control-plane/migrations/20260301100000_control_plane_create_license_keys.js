export const up = (knex) =>
  knex.raw(`
    create table license_keys (
      id uuid primary key,
      key_hash text not null unique,
      last4 text not null,
      customer_id text not null,
      tier text not null check (tier in ('basic', 'growth', 'enterprise')),
      status text not null default 'active' check (status in ('active', 'suspended', 'revoked')),
      expires_at timestamptz(3),
      last_activated_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );

    create index license_keys_newest on license_keys (created_at, id);
    create index license_keys_customer on license_keys (customer_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table license_keys');
