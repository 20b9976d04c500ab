export const up = (knex) =>
  knex.raw(`
    alter table collections add column external_id text;
    alter table collections add column metadata jsonb not null default '{}';
    create unique index collections_external_id on collections (tenant_id, external_id)
      where external_id is not null;
    create index collections_changed on collections (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index collections_changed;
    alter table collections drop column metadata;
    alter table collections drop column external_id;
  `);
