// pending_until: the order waits for its payment until then; null once it is placed. It stays if the order is canceled
// before. The column status knows no such state, so that the former release can read, pay and cancel the order: to it, it
// is placed and unpaid.
// orders_pending and orders_placed serve lists by that status; orders_state serves the others.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column pending_until timestamptz(3);
    create index orders_pending on orders (tenant_id, payment_status, fulfillment_status, archived, created_at, id)
      where status = 'placed' and pending_until is not null;
    create index orders_placed on orders (tenant_id, payment_status, fulfillment_status, archived, created_at, id)
      where status = 'placed' and pending_until is null;
  `);

export const down = (knex) =>
  knex.raw(`
    drop index orders_placed;
    drop index orders_pending;
    alter table orders drop column pending_until;
  `);
