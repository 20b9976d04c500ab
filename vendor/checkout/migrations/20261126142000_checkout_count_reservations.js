// guest_reservations: under each key of a guest, as in guest_units, the carts for which stock was reserved. The units are
// those of the reservation; rows of carts without one mean nothing, and are deleted.
export const up = (knex) =>
  knex.raw(`
    create table guest_reservations (
      tenant_id uuid not null references tenants (id),
      key_hash text not null,
      cart_id uuid not null,
      reserved_at timestamptz(3) not null default now(),
      primary key (tenant_id, key_hash, cart_id)
    );
    create index guest_reservations_cart on guest_reservations (tenant_id, cart_id);
  `);

export const down = (knex) => knex.raw('drop table guest_reservations');
