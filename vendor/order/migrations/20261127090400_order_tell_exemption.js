// tax_number_check: what a service has said of the buyer's tax number; null if none was asked. tax_exemption: why the order has
// no tax; null for one with tax, and for those of before.
export const up = (knex) =>
  knex.raw(`
    alter table orders add column tax_number_check jsonb;
    alter table orders add column tax_exemption text;
  `);

export const down = (knex) =>
  knex.raw(`
    alter table orders drop column tax_exemption;
    alter table orders drop column tax_number_check;
  `);
