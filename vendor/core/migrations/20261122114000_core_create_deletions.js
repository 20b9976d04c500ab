// What was deleted and when, for whoever follows the changes of a shop. resource: the table it stood in.
export const up = (knex) =>
  knex.raw(`
    create table deletions (
      tenant_id uuid not null references tenants (id),
      resource text not null,
      id uuid not null,
      external_id text,
      deleted_at timestamptz(3) not null default now(),
      primary key (tenant_id, resource, id)
    );
    create index deletions_time on deletions (tenant_id, resource, deleted_at, id);
  `);

export const down = (knex) => knex.raw('drop table deletions');
