export const up = (knex) => knex.raw('create index carts_status on carts (tenant_id, status, created_at, id)');

export const down = (knex) => knex.raw('drop index carts_status');
