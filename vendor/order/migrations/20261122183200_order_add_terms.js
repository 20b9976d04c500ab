// terms_version: the version of the store's terms that the shopper accepted, at terms_accepted_at.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column terms_version text;
    alter table orders add column terms_accepted_at timestamptz(3);
    alter table orders add constraint orders_terms check ((terms_version is null) = (terms_accepted_at is null));
  `);

export const down = (knex) =>
  knex.raw(`
    alter table orders drop constraint orders_terms;
    alter table orders drop column terms_accepted_at;
    alter table orders drop column terms_version;
  `);
