// version: replaced whenever staff change what boxes keep in memory, such as taxes; see runtime/db/reference-data.ts.
export const up = (knex) =>
  knex.raw(`
    create table reference_versions (
      tenant_id uuid not null references tenants (id),
      version uuid not null,
      constraint reference_versions_pkey primary key (tenant_id)
    );
    insert into reference_versions (tenant_id, version) select id, id from tenants;
  `);

export const down = (knex) => knex.raw('drop table reference_versions');
