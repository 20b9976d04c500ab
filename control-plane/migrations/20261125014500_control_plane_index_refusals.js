export const up = (knex) =>
  knex.raw('create index download_totals_outcome on download_totals (outcome, customer_id, package_name)');

export const down = (knex) => knex.raw('drop index download_totals_outcome');
