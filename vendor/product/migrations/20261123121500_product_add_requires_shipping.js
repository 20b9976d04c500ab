// False for variants that reach the shopper without a parcel: a download, a service.
export const up = (knex) =>
  knex.raw('alter table product_variants add column requires_shipping boolean not null default true');

export const down = (knex) => knex.raw('alter table product_variants drop column requires_shipping');
