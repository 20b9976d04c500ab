// requires_shipping: false for what reaches the shopper without a parcel. restocked_quantity: units whose stock was
// returned; the order holds the stock of the others.
export const up = (knex) =>
  knex.raw(`
    alter table order_line_items add column requires_shipping boolean not null default true;
    alter table order_line_items add column restocked_quantity integer not null default 0;
    alter table order_line_items add constraint order_line_items_restocked
      check (restocked_quantity between 0 and quantity);
  `);

export const down = (knex) =>
  knex.raw(`
    alter table order_line_items drop constraint order_line_items_restocked;
    alter table order_line_items drop column restocked_quantity;
    alter table order_line_items drop column requires_shipping;
  `);
