export const up = (knex) =>
  knex.raw(`
    -- Customers that were erased, so that reports that arrive later are not stored under their names.
    create table customer_erasures (
      -- SHA-256 of the customer's id, in hexadecimal.
      customer_hash text primary key,
      erased_at timestamptz(3) not null default now(),
      -- When a licence was minted for the customer again: what is downloaded from then on is stored.
      returned_at timestamptz(3)
    );
    create index customer_erasures_age on customer_erasures (erased_at);

    -- Licences of erased customers stay, under another name, until none of their tokens is valid.
    alter table license_keys add column erased_at timestamptz(3);
    create index license_keys_erased on license_keys (erased_at) where erased_at is not null;

    -- Boxes of erased customers stay, under another name, while their domains rest.
    alter table boxes add column erased_at timestamptz(3);
    create index boxes_erased on boxes (erased_at) where erased_at is not null;
  `);

export const down = (knex) =>
  knex.raw(`
    alter table boxes drop column erased_at;
    alter table license_keys drop column erased_at;
    drop table customer_erasures;
  `);
