// The legal entity of a store, its contact, its currencies and languages. The settings of invoices had the first three;
// they stay there for releases before this one, which read them during an upgrade.
export const up = (knex) =>
  knex.raw(`
    alter table stores
      add column legal_name text,
      add column address text,
      add column vat_number text,
      add column registration_number text,
      add column email text,
      add column phone text,
      add column currencies text[] not null default '{}',
      add column locales text[] not null default '{}';
    update stores
       set legal_name = settings->'invoice'->>'legalName',
           address = settings->'invoice'->>'address',
           vat_number = settings->'invoice'->>'vatNumber',
           currencies = array[default_currency],
           locales = array[default_locale];
  `);

export const down = (knex) =>
  knex.raw(`
    alter table stores
      drop column legal_name,
      drop column address,
      drop column vat_number,
      drop column registration_number,
      drop column email,
      drop column phone,
      drop column currencies,
      drop column locales;
  `);
