export const up = (knex) =>
  knex.raw(`
    -- Append-only: rows are inserted by the listener of changes and read by the log; nothing changes or removes them.
    create table audit_entries (
      tenant_id uuid not null references tenants (id),
      id uuid not null,
      actor_type text not null check (actor_type in ('staff', 'operator')),
      actor_id uuid not null,
      actor_label text not null,
      action text not null check (action in ('created', 'updated', 'deleted')),
      resource text not null,
      resource_id uuid not null,
      before jsonb check (before is null or action <> 'created'),
      after jsonb check ((after is null) = (action = 'deleted')),
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, id)
    );
    create index audit_entries_newest on audit_entries (tenant_id, created_at, id);
    create index audit_entries_actor on audit_entries (tenant_id, actor_id, created_at, id);
    create index audit_entries_resource on audit_entries (tenant_id, resource, created_at, id);
    create index audit_entries_resource_id on audit_entries (tenant_id, resource_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop table audit_entries');
