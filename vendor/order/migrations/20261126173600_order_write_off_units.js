// written_off_quantity: of the refunded units, those whose stock the order held and does not return. Not of refunds of
// before: a cancellation returns the stock of their units, as it did.
export const up = (knex) =>
  knex.raw('alter table order_refund_items add column written_off_quantity integer not null default 0');

export const down = (knex) => knex.raw('alter table order_refund_items drop column written_off_quantity');
