/**
 * Schemas of tracking numbers.
 */
import { humanText, nullable, object, type Static, Type, withOptions } from '@carton/runtime';

const CarrierName = humanText(60, {
  description: 'Of a well-known carrier the tracking page is known: `DHL`, `UPS`, `Royal Mail`',
  examples: ['DHL'],
});
const TrackingNumber = humanText(100, { examples: ['00340434292135100186'] });
const TrackingUrl = Type.String({
  maxLength: 1000,
  pattern: '^https://',
  description: 'The tracking page, with https',
  examples: ['https://www.dhl.com/global-en/home/tracking.html?tracking-id=00340434292135100186'],
});

export const Tracking = object(
  { carrier: CarrierName, number: TrackingNumber, url: nullable(TrackingUrl) },
  { $id: 'Tracking', description: '`url` is null if the carrier is unknown and staff have set no link' },
);
export type Tracking = Static<typeof Tracking>;

export const NewTracking = Type.Array(
  object(
    {
      carrier: CarrierName,
      number: TrackingNumber,
      url: Type.Optional(withOptions(TrackingUrl, { description: 'By default the page of a well-known carrier' })),
    },
    { $id: 'NewTracking' },
  ),
  { maxItems: 20, description: 'Replaces all tracking numbers' },
);
export type NewTracking = Static<typeof NewTracking>;
