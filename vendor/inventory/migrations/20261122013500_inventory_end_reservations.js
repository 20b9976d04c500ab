export const up = (knex) =>
  knex.raw(`
    -- ends_at: from then on the reservation may be let go; null for one that stands until it is released.
    alter table stock_reservations add column ends_at timestamptz(3);
    create index stock_reservations_ended on stock_reservations (tenant_id, ends_at) where ends_at is not null;

    -- Where something was sold from, for it to come back there. What was sold from the default location goes back to it
    -- without a look at the ledger, so a shop with no other location keeps nothing in here.
    create index stock_movements_elsewhere on stock_movements (tenant_id, reference_type, reference_id)
      where location_id <> '00000000-0000-0000-0000-000000000000';
  `);

export const down = (knex) =>
  knex.raw(`
    drop index stock_movements_elsewhere;
    drop index stock_reservations_ended;
    alter table stock_reservations drop column ends_at;
  `);
