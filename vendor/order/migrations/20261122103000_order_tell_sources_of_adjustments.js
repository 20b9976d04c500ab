// What an adjustment or a tax is of and where it comes from, as the totals of the sale had it: shipping_code names the
// shipping charge it belongs to; source_type and source_id what made it (a promotion, a tax rate).
export const up = (knex) =>
  knex.raw(`
    alter table order_adjustments add column shipping_code text;
    alter table order_adjustments add column source_type text;
    alter table order_adjustments add column source_id text;
    alter table order_tax_lines add column shipping_code text;
    alter table order_tax_lines add column source_type text;
    alter table order_tax_lines add column source_id text;
  `);

export const down = (knex) =>
  knex.raw(`
    alter table order_tax_lines drop column shipping_code;
    alter table order_tax_lines drop column source_type;
    alter table order_tax_lines drop column source_id;
    alter table order_adjustments drop column shipping_code;
    alter table order_adjustments drop column source_type;
    alter table order_adjustments drop column source_id;
  `);
