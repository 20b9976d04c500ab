export const up = (knex) =>
  knex.raw(`
    -- Since when a suspended or revoked licence has had no valid activation token.
    alter table license_keys add column withdrawn_at timestamptz(3);
    update license_keys set withdrawn_at = updated_at where status in ('suspended', 'revoked');
    alter table license_keys add constraint license_keys_withdrawn
      check ((status = 'active') = (withdrawn_at is null));
    create index license_keys_withdrawn on license_keys (withdrawn_at) where withdrawn_at is not null;
  `);

export const down = (knex) => knex.raw('alter table license_keys drop column withdrawn_at');
