// disputed_amount: what disputes of the payments have taken back, or hold while they are open. It is kept no longer, and not
// due again. Whoever keeps payments sets it, with the other sums.
export const up = (knex) =>
  knex.raw(
    `alter table orders
       add column disputed_amount bigint not null default 0,
       add constraint orders_disputed check (disputed_amount >= 0)`,
  );

export const down = (knex) => knex.raw('alter table orders drop column disputed_amount');
