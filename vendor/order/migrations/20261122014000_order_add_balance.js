export const up = (knex) =>
  knex.raw(`
    -- Sums of what payments of the order have taken and given back. Whoever keeps payments sets them, with the state.
    alter table orders
      add column paid_amount bigint not null default 0,
      add column refunded_amount bigint not null default 0,
      add constraint orders_refunded check (refunded_amount between 0 and paid_amount);
  `);

export const down = (knex) => knex.raw('alter table orders drop column refunded_amount, drop column paid_amount');
