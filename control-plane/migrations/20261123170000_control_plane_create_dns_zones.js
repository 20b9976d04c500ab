export const up = (knex) =>
  knex.raw(`
    -- The zones of the vendor's nameserver: those to serve, and those that have not been removed yet. Which ones are
    -- wanted is derived from box_domains.
    create table dns_zones (
      zone text primary key,
      wanted boolean not null default true,
      state text not null default 'waiting' check (state in ('waiting', 'served', 'failed', 'refused')),
      -- Why it is failed or refused.
      reason text,
      -- Raised when the work changes, so that the result of earlier work does not count.
      revision integer not null default 1,
      -- The digest of the settings that determine the records.
      settings text not null,
      -- Attempts in a row that failed.
      failures integer not null default 0,
      next_attempt_at timestamptz(3) not null default now(),
      -- A replica works on it until then.
      leased_until timestamptz(3)
    );

    create index dns_zones_due on dns_zones (next_attempt_at);
  `);

export const down = (knex) => knex.raw('drop table dns_zones');
