/** What the total of an order was rounded by, in minor units: part of `total_amount`, positive or negative. */

export async function up(knex) {
  await knex.raw('alter table orders add column rounding_amount bigint not null default 0');
}

export async function down(knex) {
  await knex.raw('alter table orders drop column rounding_amount');
}
