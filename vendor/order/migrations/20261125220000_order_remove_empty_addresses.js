// Erasure stored {} where nothing of an address was to remain, such as of free text. That is no address, so orders with
// one could not be read.
export const up = (knex) => knex.raw(`delete from order_addresses where address = '{}'`);

// They held nothing.
export const down = () => Promise.resolve();
