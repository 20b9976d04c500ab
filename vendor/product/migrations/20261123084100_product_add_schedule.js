// visibility_changes_at: when shoppers begin or cease to see a published product, while its event has not been written.
export const up = (knex) =>
  knex.raw(`
    alter table products add column publish_at timestamptz(3);
    alter table products add column unpublish_at timestamptz(3);
    alter table products add column visibility_changes_at timestamptz(3);
    alter table products add constraint products_schedule check (publish_at < unpublish_at);
    create index products_visibility_changes on products (tenant_id, visibility_changes_at)
      where visibility_changes_at is not null;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index products_visibility_changes;
    alter table products drop constraint products_schedule;
    alter table products drop column visibility_changes_at;
    alter table products drop column unpublish_at;
    alter table products drop column publish_at;
  `);
