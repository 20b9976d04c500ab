export const up = (knex) =>
  knex.raw(`
    -- The key that created a key, which ends with it. Unknown for keys of before.
    alter table api_keys add column parent_id uuid;
    create index api_keys_parent on api_keys (tenant_id, parent_id) where parent_id is not null;
  `);

export const down = (knex) => knex.raw('alter table api_keys drop column parent_id');
