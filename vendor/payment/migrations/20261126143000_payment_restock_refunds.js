// refunds.restock: the stock of refunded units that were not shipped is returned. Not of refunds of before: staff have
// corrected that stock themselves.
export const up = (knex) => knex.raw('alter table refunds add column restock boolean not null default false');

export const down = (knex) => knex.raw('alter table refunds drop column restock');
