// The country that a shopper has chosen for a cart, for taxes and shipping while no address has one. A table of its own: a
// column would change the rows that statements return which a box of the former release has prepared.
export const up = (knex) =>
  knex.raw(`
    create table cart_countries (
      tenant_id uuid not null,
      cart_id uuid not null,
      country text not null,
      primary key (tenant_id, cart_id),
      foreign key (tenant_id, cart_id) references carts (tenant_id, id) on delete cascade
    );
  `);

export const down = (knex) => knex.raw('drop table cart_countries');
