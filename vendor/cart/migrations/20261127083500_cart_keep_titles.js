// The title of the product when its variant was put into the cart: it is shown while the product cannot be seen.
export const up = (knex) => knex.raw('alter table cart_line_items add column added_title text');

export const down = (knex) => knex.raw('alter table cart_line_items drop column added_title');
