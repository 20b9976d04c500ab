/**
 * The embedded PostgreSQL alone, for programs that tests start often: the other entry points load a hundred modules more.
 */
export { startEmbeddedPostgres } from '../db/embedded.ts';
