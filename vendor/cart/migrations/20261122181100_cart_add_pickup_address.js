// country, province, postalCode
export const up = (knex) => knex.raw('alter table carts add column pickup_address jsonb');

export const down = (knex) => knex.raw('alter table carts drop column pickup_address');
