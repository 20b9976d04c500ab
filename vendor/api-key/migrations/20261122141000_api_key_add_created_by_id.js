export const up = (knex) =>
  knex.raw(`
    -- Who answers for a key: the member of staff who made it, or who answers for the key that made it.
    alter table api_keys add column created_by_id uuid;
    update api_keys set created_by_id = staff_users.id from staff_users
     where staff_users.tenant_id = api_keys.tenant_id and staff_users.email = api_keys.created_by;
    create index api_keys_created_by on api_keys (tenant_id, created_by_id);
  `);

export const down = (knex) => knex.raw('alter table api_keys drop column created_by_id');
