/**
 * What tests of other packages call of stock, without waiting for its jobs.
 */

export { releaseExpiredReservations } from '../reservations/service.ts';
