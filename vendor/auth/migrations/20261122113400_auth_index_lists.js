export const up = (knex) =>
  knex.raw(`
    create index staff_users_newest on staff_users (tenant_id, created_at, id);
    create index staff_invites_newest on staff_invites (tenant_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop index staff_users_newest, staff_invites_newest');
