// tax: the part of amount that is tax; null for a refund by amount.
export const up = (knex) => knex.raw('alter table refunds add column tax bigint');

export const down = (knex) => knex.raw('alter table refunds drop column tax');
