export const up = (knex) =>
  knex.raw(`
    alter table staff_users add column external_id text;
    alter table staff_users add column metadata jsonb not null default '{}';
    create unique index staff_users_external_id on staff_users (tenant_id, external_id)
      where external_id is not null;
    create index staff_users_changed on staff_users (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index staff_users_changed;
    alter table staff_users drop column metadata;
    alter table staff_users drop column external_id;
  `);
