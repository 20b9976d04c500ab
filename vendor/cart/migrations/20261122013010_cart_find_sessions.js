export const up = (knex) =>
  knex.raw(`
    -- Whether a session has, or had, a cart: carts_active_session holds those of today only.
    create index carts_session on carts (tenant_id, session_hash);
  `);

export const down = (knex) => knex.raw('drop index carts_session');
