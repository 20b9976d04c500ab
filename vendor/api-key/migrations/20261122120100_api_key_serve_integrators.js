export const up = (knex) =>
  knex.raw(`
    alter table api_keys add column external_id text;
    alter table api_keys add column metadata jsonb not null default '{}';
    create unique index api_keys_external_id on api_keys (tenant_id, external_id)
      where external_id is not null;
    create index api_keys_changed on api_keys (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index api_keys_changed;
    alter table api_keys drop column metadata;
    alter table api_keys drop column external_id;
  `);
