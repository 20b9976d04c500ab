// What is not delivered is rare; what is, is most of the list in any order.
export const up = (knex) =>
  knex.raw(`
    create index event_deliveries_undelivered on event_deliveries (tenant_id, status, created_at, id)
      where status <> 'delivered';
    create index event_deliveries_resource on event_deliveries (tenant_id, resource_id, created_at, id);
  `);

export const down = (knex) => knex.raw('drop index event_deliveries_undelivered, event_deliveries_resource');
