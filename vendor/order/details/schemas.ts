/**
 * Schemas of what changes an order, and of what a storefront reports with one.
 */
import { changeOf, Email, externalFields, humanText, nullable, type Static, Tag, Type } from '@carton/runtime';
import { AddressOrNull, OrderAttribution, Phone } from '../schemas.ts';

const Name = humanText(200, { examples: ['Ada Lovelace'] });

export const ChangeOrder = changeOf(
  {
    customer: changeOf(
      { email: Email, name: nullable(Name), phone: nullable(Phone), address: AddressOrNull, billing: AddressOrNull },
      { $id: 'ChangeOrderCustomer' },
    ),
    tags: Type.Array(Tag, {
      maxItems: 50,
      description:
        'Replaces all tags. Spaces around a tag are removed, and of tags that differ only in case the first stays.',
    }),
    ...externalFields,
  },
  { $id: 'ChangeOrder' },
);
export type ChangeOrder = Static<typeof ChangeOrder>;

function reported(name: keyof OrderAttribution) {
  const { description, examples, maxLength } = OrderAttribution.properties[name];
  return Type.Optional(
    nullable(
      Type.String({ description: `${description}; what is longer than ${maxLength} characters is cut`, examples }),
    ),
  );
}

/** The attribution in requests. */
export const ReportedAttribution = Type.Object(
  {
    channel: reported('channel'),
    utmSource: reported('utmSource'),
    utmMedium: reported('utmMedium'),
    utmCampaign: reported('utmCampaign'),
    utmTerm: reported('utmTerm'),
    utmContent: reported('utmContent'),
    referrer: reported('referrer'),
    landingPage: reported('landingPage'),
  },
  {
    $id: 'ReportedAttribution',
    additionalProperties: true,
    description:
      'How the shopper came to the store, as reported by the storefront. A blank text counts as absent, a long one is cut, and other fields are ignored',
  },
);
export type ReportedAttribution = Static<typeof ReportedAttribution>;
