export const up = (knex) =>
  knex.raw(`
    create index staff_sessions_newest on staff_sessions (tenant_id, staff_user_id, created_at, id);
    drop index staff_sessions_user;
  `);

export const down = (knex) =>
  knex.raw(`
    create index staff_sessions_user on staff_sessions (tenant_id, staff_user_id);
    drop index staff_sessions_newest;
  `);
