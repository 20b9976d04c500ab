// Ids are made as deliveries are dealt out, in their order: the list goes by them, so that the primary key serves it
// whole and an index need not hold a time besides. One index is for the subscriber and for the type, alone and together,
// once for all and once for what is not delivered: see deliveries.ts. None holds what an attempt changes.
export const up = (knex) =>
  knex.raw(`
    -- The type of the event, so that it can be indexed; empty in what an earlier release deals out.
    alter table event_deliveries add column type text not null default '';
    drop index event_deliveries_newest;
    drop index event_deliveries_undelivered;
    drop index event_deliveries_resource;
    update event_deliveries set type = event_outbox.type
      from event_outbox
     where event_outbox.tenant_id = event_deliveries.tenant_id and event_outbox.id = event_deliveries.event_id;
    create index event_deliveries_kind on event_deliveries (tenant_id, subscriber, type, id);
    create index event_deliveries_undelivered on event_deliveries (tenant_id, status, subscriber, type, id)
      where status <> 'delivered';
    create index event_deliveries_resource on event_deliveries (tenant_id, resource_id, id);
  `);

export const down = (knex) =>
  knex.raw(`
    drop index event_deliveries_kind;
    drop index event_deliveries_undelivered;
    drop index event_deliveries_resource;
    alter table event_deliveries drop column type;
    create index event_deliveries_newest on event_deliveries (tenant_id, created_at, id);
    create index event_deliveries_undelivered on event_deliveries (tenant_id, status, created_at, id)
      where status <> 'delivered';
    create index event_deliveries_resource on event_deliveries (tenant_id, resource_id, created_at, id);
  `);
