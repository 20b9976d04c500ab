/**
 * Tracking numbers with their links.
 */
import { invalidField } from '@carton/runtime';
import { carrierName, isTrackingLink, trackingUrl } from './carriers.ts';
import type { NewTracking, Tracking } from './schemas.ts';

/** Tracking numbers as they are stored: with the name of the carrier and a link, if one is known or sent. */
export function trackingOf(sent: NewTracking): Tracking[] {
  return sent.map(({ carrier, number, url }, at) => {
    if (url !== undefined && !isTrackingLink(url)) {
      throw invalidField(`/tracking/${at}/url`, 'is not an https URL without a user name and password');
    }
    const [name, code] = [carrier.trim(), number.trim()];
    return { carrier: carrierName(name), number: code, url: url ?? trackingUrl(name, code) };
  });
}
