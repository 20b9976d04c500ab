// When the payment was last looked up for a shopper who waits for it, so that a provider is not asked each time.
export const up = (knex) => knex.raw('alter table payment_sessions add column looked_up_at timestamptz(3)');
export const down = (knex) => knex.raw('alter table payment_sessions drop column looked_up_at');
