// pay_reminded_at: when the shopper was reminded that the order will be canceled at pay_by.
export const up = (knex) => knex.raw('alter table orders add column pay_reminded_at timestamptz(3)');

export const down = (knex) => knex.raw('alter table orders drop column pay_reminded_at');
