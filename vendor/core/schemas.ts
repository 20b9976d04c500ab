/**
 * Shapes of the store and of the box's capabilities.
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
  Type,
  tiers,
} from '@carton/runtime';
import { changeSettingsSchema, type StoredSettings, settingsSchema } from './store-settings.ts';

const Name = Type.String({ minLength: 1, maxLength: 120, examples: ['Demo Shop'] });
const LogoUrl = nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2000 }));

/** Kept as a browser writes it: without a port that goes without saying (RFC 6454, section 6.2). */
const Origin = Type.String({
  pattern: '^https?://[a-z0-9-]+(\\.[a-z0-9-]+)*(:[1-9]\\d{0,4})?$',
  maxLength: 261,
  examples: ['https://www.example.com'],
});

export const weightUnits = ['kg', 'lb'] as const;

/** What a shop may ask of whoever orders; a part of an address (`address.city`) asks for an address that is no text. */
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

/** What a shopper may know of the store. */
export const StoreProfile = object(
  {
    name: Name,
    logoUrl: LogoUrl,
    defaultCurrency: Currency,
    defaultLocale: Locale,
    timeZone: Type.String({
      ...TimeZone,
      description: 'In which the days of the store begin and end; `UTC` unless changed',
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
      description: '`{number}` stands for the next number of the sequence',
      examples: ['ORD-{number}'],
    }),
    guestCheckout: Type.Boolean({ description: 'Whether shoppers without an account may order' }),
    checkoutRequires: Type.Array(oneOf(checkoutFields), {
      maxItems: checkoutFields.length,
      uniqueItems: true,
      description: 'What a shopper has to say at checkout besides the e-mail address',
      examples: [['name', 'address']],
    }),
    weightUnit: oneOf(weightUnits, {
      description: 'In which variants show their weight besides grams, as `displayWeight`',
    }),
    allowedOrigins: Type.Array(Origin, {
      maxItems: 50,
      uniqueItems: true,
      description: 'Origins of other sites whose pages may call this shop in a browser, besides its own hosts',
    }),
    /** Its properties are those of the groups that the box's packages declare: see store-settings.ts. */
    settings: Type.Unsafe<StoredSettings>({ type: 'object' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Store' },
);
export type Store = Static<typeof Store>;

const { updatedAt: _, ...changeable } = Store.properties;
export const ChangeStore = changeOf(changeable, { $id: 'ChangeStore' });
export type ChangeStore = Static<typeof ChangeStore>;

/** The store with the settings that the packages of a box add. */
export const storeSchema = onceForBox((box) =>
  object({ ...Store.properties, settings: settingsSchema(box) }, { $id: 'Store' }),
);
export const changeStoreSchema = onceForBox((box) => {
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
