// attribution: how the shopper came to the store, as the storefront reported it; null if it reported nothing.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column attribution jsonb;
    alter table orders add constraint orders_attribution check (jsonb_typeof(attribution) = 'object');
  `);

export const down = (knex) => knex.raw('alter table orders drop column attribution');
