/**
 * Shapes of the addresses of a member.
 */
import {
  Country,
  changeOf,
  DateTime,
  humanText,
  nullable,
  object,
  Phone,
  pageOf,
  type Static,
  Type,
  Uuid,
  withOptions,
} from '@carton/runtime';

const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });
const requiredOfAddress = {
  name: text(200, 'Ada Lovelace'),
  line1: text(200, '12 Rue des Lilas'),
  country: Country,
};
const optionalOfAddress = {
  company: nullable(text(200, 'Analytical Engines Ltd')),
  line2: nullable(text(200, 'Third floor')),
  city: withOptions(nullable(text(100, 'Lyon')), { description: 'Required in countries whose addresses have one' }),
  province: nullable(text(100, 'Auvergne-Rhône-Alpes')),
  postalCode: nullable(text(20, '69003')),
  phone: nullable(Phone),
};
const defaults = {
  defaultShipping: Type.Boolean({ description: 'Whether it is the default for shipping, as one address at most is' }),
  defaultBilling: Type.Boolean({ description: 'Whether it is the default for billing, as one address at most is' }),
};

export const MemberAddress = object(
  { id: Uuid, ...requiredOfAddress, ...optionalOfAddress, ...defaults, createdAt: DateTime, updatedAt: DateTime },
  { $id: 'MemberAddress' },
);
export type MemberAddress = Static<typeof MemberAddress>;
export const MemberAddressPage = pageOf(MemberAddress, 'MemberAddressPage');

/** The body that creates an address; omitted fields become null, and omitted defaults false. */
export const CreateMemberAddress = object(
  { ...requiredOfAddress, ...Type.Partial(Type.Object({ ...optionalOfAddress, ...defaults })).properties },
  { $id: 'CreateMemberAddress' },
);
export type CreateMemberAddress = Static<typeof CreateMemberAddress>;
export const ChangeMemberAddress = changeOf(
  { ...requiredOfAddress, ...optionalOfAddress, ...defaults },
  { $id: 'ChangeMemberAddress' },
);
export type ChangeMemberAddress = Static<typeof ChangeMemberAddress>;
