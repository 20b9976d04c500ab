// fees: what an order paid by the method is charged for it, at most one amount for each currency, in minor units.
export const up = (knex) =>
  knex.raw(`
    alter table payment_methods add column fees jsonb not null default '[]';
    alter table payment_methods add constraint payment_methods_fees check (jsonb_typeof(fees) = 'array');
  `);

export const down = (knex) => knex.raw(`alter table payment_methods drop column fees`);
