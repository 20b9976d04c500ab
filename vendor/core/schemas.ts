/**
 * Schemas of the store and of the box's capabilities.
 */
import {
  Currency,
  changeOf,
  Locale,
  nullable,
  object,
  onceForBox,
  oneOf,
  packageName,
  type Static,
  TimeZone,
  type TObject,
  Type,
  tiers,
} from '@carton/runtime';
import { changeSettingsSchema, type StoredSettings, settingsSchema } from './store-settings.ts';

const Name = Type.String({ minLength: 1, maxLength: 120, examples: ['Demo Store'] });
const LogoUrl = nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2000 }));

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
  'address.country',
  'billing',
] as const;

/** The store as shown to shoppers. */
export const StoreProfile = object(
  {
    name: Name,
    logoUrl: LogoUrl,
    defaultCurrency: Currency,
    defaultLocale: Locale,
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
    /** The settings of the box's packages, by group: see store-settings.ts. */
    settings: Type.Unsafe<StoredSettings>({ type: 'object' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Store' },
);
export type Store = Static<typeof Store>;

const { updatedAt: _, ...changeable } = Store.properties;
export const ChangeStore = changeOf(changeable, { $id: 'ChangeStore' });
export type ChangeStore = Static<typeof ChangeStore>;

/** The store with the settings of the box's packages. */
export const storeSchema = onceForBox((box) =>
  object({ ...Store.properties, settings: settingsSchema(box) }, { $id: 'Store' }),
);
export const changeStoreSchema = onceForBox((box): TObject => {
  const { settings: _, ...own } = changeable;
  const settings = changeSettingsSchema(box);
  return changeOf({ ...own, ...(settings && { settings }) }, { $id: 'ChangeStore' });
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
