export const up = (knex) => knex.raw('create index staff_sessions_expiry on staff_sessions (tenant_id, expires_at)');

export const down = (knex) => knex.raw('drop index staff_sessions_expiry');
