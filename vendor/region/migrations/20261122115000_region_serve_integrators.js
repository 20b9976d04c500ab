export const up = (knex) =>
  knex.raw(`
    alter table regions add column external_id text;
    alter table regions add column metadata jsonb not null default '{}';
    create unique index regions_external_id on regions (tenant_id, external_id)
      where external_id is not null;
    create index regions_changed on regions (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index regions_changed;
    alter table regions drop column metadata;
    alter table regions drop column external_id;
  `);
