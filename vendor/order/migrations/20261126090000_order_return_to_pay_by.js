// held_pay_by: the pay_by of an order that waits for a payment by hand, to which it returns with another method.
export const up = (knex) => knex.raw('alter table orders add column held_pay_by timestamptz');

export const down = (knex) => knex.raw('alter table orders drop column held_pay_by');
