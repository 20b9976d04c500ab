// guest_orders: the orders of guests, whose mails are limited. client_key: SHA-256 of the tenant's secret and the client's
// address, as in guest_units; null where other clients may share the address.
export const up = (knex) =>
  knex.raw(`
    create table guest_orders (
      tenant_id uuid not null,
      order_id uuid not null,
      client_key text,
      primary key (tenant_id, order_id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
    );
  `);

export const down = (knex) => knex.raw('drop table guest_orders');
