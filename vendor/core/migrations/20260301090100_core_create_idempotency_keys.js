export const up = (knex) =>
  knex.raw(`
    create table idempotency_keys (
      tenant_id uuid not null references tenants (id),
      caller text not null,
      operation_id text not null,
      key text not null,
      fingerprint text not null,
      status integer,
      body text,
      headers jsonb not null default '{}',
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, caller, operation_id, key)
    );
    create index idempotency_keys_created_at on idempotency_keys (tenant_id, created_at);
  `);

export const down = (knex) => knex.raw('drop table idempotency_keys');
