export const up = (knex) =>
  knex.raw(`
    -- check_at: when the provider is to be asked what has become of the payment, or told that no order comes of it;
    -- null while nothing is expected of it. checks: how often that was tried, which sets the time of the next.
    alter table payment_sessions
      add column check_at timestamptz(3),
      add column checks integer not null default 0;
    update payment_sessions set check_at = now() where status <> 'open';
    create index payment_sessions_check on payment_sessions (tenant_id, check_at) where check_at is not null;
    create index payment_sessions_open on payment_sessions (tenant_id, updated_at) where status = 'open';
  `);

export const down = (knex) =>
  knex.raw(`
    drop index payment_sessions_open, payment_sessions_check;
    alter table payment_sessions drop column checks, drop column check_at;
  `);
