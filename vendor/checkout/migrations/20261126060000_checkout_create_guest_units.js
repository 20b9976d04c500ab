// guest_units: the units of tracked stock in a guest's unpaid order, under each key of the guest: the session, the e-mail
// address, the client's address. Rows of orders that hold no unpaid stock any more mean nothing, and are deleted.
// key_hash: SHA-256 of the tenant's secret and the key, so that rows tell nobody's address.
export const up = (knex) =>
  knex.raw(`
    create table guest_secrets (
      tenant_id uuid primary key references tenants (id),
      secret bytea not null check (length(secret) >= 32)
    );
    create table guest_units (
      tenant_id uuid not null,
      key_hash text not null,
      order_id uuid not null,
      units bigint not null check (units > 0),
      primary key (tenant_id, key_hash, order_id),
      foreign key (tenant_id, order_id) references orders (tenant_id, id) on delete cascade
    );
    create index guest_units_order on guest_units (tenant_id, order_id);
  `);

export const down = (knex) => knex.raw('drop table guest_units; drop table guest_secrets;');
