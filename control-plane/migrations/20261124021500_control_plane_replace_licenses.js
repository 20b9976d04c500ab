export const up = (knex) =>
  knex.raw(`
    -- The channel whose release activations are for.
    alter table license_keys add column channel text not null default 'stable';
    alter table license_keys add column trial boolean not null default false;
    -- The licence that this one replaces; each has at most one replacement.
    alter table license_keys add column replaces uuid unique references license_keys (id);
    -- When a replaced licence ends: from then on it is revoked.
    alter table license_keys add column ends_at timestamptz(3);
    create index license_keys_ended on license_keys (ends_at) where ends_at is not null;
  `);

export const down = (knex) =>
  knex.raw(`
    update license_keys set status = 'revoked', withdrawn_at = coalesce(withdrawn_at, ends_at) where ends_at <= now();
    alter table license_keys drop column ends_at;
    alter table license_keys drop column replaces;
    alter table license_keys drop column trial;
    alter table license_keys drop column channel;
  `);
