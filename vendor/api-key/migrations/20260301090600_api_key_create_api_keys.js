export const up = (knex) =>
  knex.raw(`
    create table api_keys (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      name text not null,
      kind text not null check (kind in ('publishable', 'secret')),
      key_hash text not null,
      last_four text not null,
      scopes text[] not null,
      created_by text not null,
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      last_used_at timestamptz(3),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      primary key (tenant_id, id),
      constraint api_keys_key unique (tenant_id, key_hash),
      constraint api_keys_scopes check ((kind = 'secret') = (cardinality(scopes) > 0))
    );
    create index api_keys_newest on api_keys (tenant_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table api_keys');
