/**
 * Shapes of the store and of the box's capabilities.
 */
import { Currency, changeOf, nullable, object, oneOf, type Static, Type } from '@carton/runtime';

export const Locale = Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', maxLength: 35, examples: ['en-GB'] });
const Name = Type.String({ minLength: 1, maxLength: 120 });
const LogoUrl = nullable(Type.String({ format: 'uri', pattern: '^https?://', maxLength: 2000 }));

/** What a shopper may know of the store. */
export const StoreProfile = object(
  { name: Name, logoUrl: LogoUrl, defaultCurrency: Currency, defaultLocale: Locale },
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
    weightUnit: oneOf(['kg', 'lb']),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Store' },
);
export type Store = Static<typeof Store>;

const { updatedAt: _, ...settings } = Store.properties;
export const ChangeStore = changeOf(settings, { $id: 'ChangeStore' });
export type ChangeStore = Static<typeof ChangeStore>;

export const Capabilities = object(
  {
    tier: oneOf(['basic', 'growth', 'enterprise']),
    packages: Type.Array(
      object({ name: Type.String(), version: Type.String(), tier: oneOf(['basic', 'growth', 'enterprise']) }),
    ),
  },
  { $id: 'Capabilities' },
);
