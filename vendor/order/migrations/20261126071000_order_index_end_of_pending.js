// orders_pending_until finds the pending orders whose time has passed, however many wait.
export const up = (knex) =>
  knex.raw(`
    create index orders_pending_until on orders (tenant_id, pending_until)
      where status = 'placed' and pending_until is not null`);

export const down = (knex) => knex.raw('drop index orders_pending_until');
