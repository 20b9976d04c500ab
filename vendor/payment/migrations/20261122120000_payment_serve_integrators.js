export const up = (knex) =>
  knex.raw(`
    alter table payments add column external_id text;
    alter table payments add column metadata jsonb not null default '{}';
    create unique index payments_external_id on payments (tenant_id, external_id)
      where external_id is not null;
    create index payments_changed on payments (tenant_id, updated_at, id);
    alter table refunds add column external_id text;
    alter table refunds add column metadata jsonb not null default '{}';
    alter table refunds add column updated_at timestamptz(3) not null default now();
    update refunds set updated_at = created_at;
    create unique index refunds_external_id on refunds (tenant_id, external_id)
      where external_id is not null;
    create index refunds_changed on refunds (tenant_id, updated_at, id);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table refunds drop column updated_at;
    alter table refunds drop column metadata;
    alter table refunds drop column external_id;
    drop index payments_changed;
    alter table payments drop column metadata;
    alter table payments drop column external_id;
  `);
