// When a tenant was deleted, when its data is removed, and when that began: from then on it cannot be taken back.
export const up = (knex) =>
  knex.raw(`
    alter table tenants
      add column deleted_at timestamptz(3),
      add column deletion_at timestamptz(3),
      add column removal_started_at timestamptz(3);
    alter table tenants add constraint tenants_deletion check ((deleted_at is null) = (deletion_at is null));
  `);

export const down = (knex) =>
  knex.raw(`
    alter table tenants drop constraint tenants_deletion;
    alter table tenants drop column deleted_at, drop column deletion_at, drop column removal_started_at;
  `);
