// excess_refunded_amount: the part of refunded_amount that had been received beyond the total. The rest of refunded_amount
// takes as much off what is charged. Whoever keeps payments sets it, with the other sums.
// order_refund_items: a quantity of zero is a part of the price.
export const up = (knex) =>
  knex.raw(`
    alter table orders
      add column excess_refunded_amount bigint not null default 0,
      add constraint orders_excess_refunded check (excess_refunded_amount between 0 and refunded_amount);
    alter table order_refund_items drop constraint order_refund_items_quantity;
  `);

export const down = (knex) =>
  knex.raw(`
    delete from order_refund_items where quantity = 0;
    alter table order_refund_items add constraint order_refund_items_quantity check (quantity <> 0);
    alter table orders drop column excess_refunded_amount;
  `);
