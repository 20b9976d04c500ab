/**
 * How long a start waits for the database. A file of its own, since the embedded PostgreSQL starts before knex is loaded.
 */

/**
 * Milliseconds that the start of a service waits for a connection. On a busy machine PostgreSQL, or this process while it
 * loads its packages, may take longer than a request would wait; nobody waits for a response yet.
 */
export const startPatience = 60_000;
