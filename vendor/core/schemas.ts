/**
 * Schemas of the store and of the box's capabilities.
 */
import {
  Country,
  Currency,
  changeOf,
  Email,
  humanLines,
  humanText,
  Locale,
  nullable,
  object,
  onceForBox,
  oneOf,
  Phone,
  packageName,
  type Static,
  TimeZone,
  type TObject,
  Type,
  tiers,
  Uuid,
  withOptions,
} from '@carton/runtime';
import type { StoredSettings } from './settings/declaration.ts';
import { changeSettingsSchema, withPermissions } from './settings/schemas.ts';

const Name = humanText(120, { examples: ['Demo Store'] });
const LogoUrl = nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2000 }));
const text = (maxLength: number, example: string) => humanText(maxLength, { examples: [example] });

/** Stored as browsers send it: without a default port (RFC 6454, section 6.2). */
const Origin = Type.String({
  pattern: '^https?://[a-z0-9-]+(\\.[a-z0-9-]+)*(:[1-9]\\d{0,4})?$',
  maxLength: 261,
  examples: ['https://www.example.com'],
});

export const weightUnits = ['kg', 'lb'] as const;

/**
 * What a store can require at checkout. A part of an address (`address.city`) requires an address that is an object.
 */
export const checkoutFields = [
  'name',
  'phone',
  'address',
  'address.line1',
  'address.postalCode',
  'address.city',
  'address.province',
  'address.country',
  'billing',
] as const;

/** The store as shown to shoppers. */
export const StoreProfile = object(
  {
    name: Name,
    logoUrl: nullable(
      Type.String({
        maxLength: 2000,
        description: 'Absolute, or below the address of this API if the logo is one of the media assets',
        examples: ['https://cdn.example/logo.png'],
      }),
    ),
    legalName: withOptions(nullable(text(200, 'Demo Store SAS')), {
      description: 'Name of the legal entity that sells. Invoices need it',
    }),
    address: withOptions(nullable(humanLines(1000, { examples: ['12 Rue des Lilas\n69003 Lyon\nFrance'] })), {
      description: 'Address of the legal entity, in lines. Invoices need it',
    }),
    vatNumber: withOptions(nullable(text(50, 'FR40303265045')), {
      description:
        'VAT number or other tax number of the legal entity. One of the EU, Northern Ireland, Great Britain or Switzerland has the form of its country and right check digits; it is stored in capitals without spaces and punctuation',
    }),
    registrationNumber: withOptions(nullable(text(100, 'RCS Lyon 303 265 045')), {
      description: 'Register and number of the legal entity',
    }),
    email: withOptions(nullable(Email), { description: 'Contact for shoppers' }),
    phone: withOptions(nullable(Phone), { description: 'Contact for shoppers' }),
    defaultCurrency: Currency,
    currencies: Type.Array(Currency, {
      maxItems: 200,
      uniqueItems: true,
      description: 'The currencies of the store, the default first. A region in another currency adds it',
      examples: [['EUR', 'USD']],
    }),
    defaultLocale: Locale,
    locales: Type.Array(Locale, {
      maxItems: 200,
      uniqueItems: true,
      description: 'The languages of the store, the default first',
      examples: [['en', 'fr']],
    }),
    timeZone: Type.String({
      ...TimeZone,
      description: 'The time zone in which days of the store begin and end; `UTC` by default',
    }),
  },
  { $id: 'StoreProfile' },
);

export const Store = object(
  {
    ...StoreProfile.properties,
    country: withOptions(nullable(Country), {
      description:
        'The country of the store. It decides taxes and shipping of carts and orders without any other country; while it is null, nothing of these is taxed',
    }),
    defaultRegionId: withOptions(nullable(Uuid), {
      description:
        "The region of carts whose shopper has chosen none, while their address has none. Null: the only region; else that of the store's country; else the oldest in the default currency; else the oldest",
    }),
    orderNumberFormat: Type.String({
      pattern: '^[^{}]*\\{number\\}[^{}]*$',
      maxLength: 40,
      description: '`{number}` is replaced by the next number of the sequence',
      examples: ['ORD-{number}'],
    }),
    guestCheckout: Type.Boolean({ description: 'Whether shoppers without an account can order' }),
    checkoutRequires: Type.Array(oneOf(checkoutFields), {
      maxItems: checkoutFields.length,
      uniqueItems: true,
      description: 'Required at checkout besides the e-mail address',
      examples: [['name', 'address']],
    }),
    weightUnit: oneOf(weightUnits, {
      description: 'The unit of `displayWeight`, in which variants show their weight besides grams',
    }),
    allowedOrigins: Type.Array(Origin, {
      maxItems: 50,
      uniqueItems: true,
      description: 'Origins of other sites whose pages may call this store from a browser, besides its own hosts',
    }),
    /** The settings of the box's packages, by group: see `settings/declaration.ts`. */
    settings: Type.Unsafe<StoredSettings>({ type: 'object' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Store' },
);
export type Store = Static<typeof Store>;

const { updatedAt: _, ...properties } = Store.properties;
const changeable = { ...properties, logoUrl: LogoUrl };
export const ChangeStore = changeOf(changeable, { $id: 'ChangeStore' });
export type ChangeStore = Static<typeof ChangeStore>;

export const changeStoreSchema = onceForBox((box): TObject => {
  const { settings: _, ...own } = changeable;
  const settings = changeSettingsSchema(box);
  return changeOf({ ...withPermissions(box, own), ...(settings && { settings }) }, { $id: 'ChangeStore' });
});

export const Capabilities = object(
  {
    tier: oneOf(tiers),
    packages: Type.Array(
      object({
        name: Type.String({ examples: [packageName('cart')] }),
        version: Type.String({ examples: ['0.1.0'] }),
        tier: oneOf(tiers),
      }),
    ),
  },
  { $id: 'Capabilities' },
);
