/**
 * Settings of tax providers, read from the environment.
 */
import { type HasExtensions, packageSettings, Type } from '@carton/runtime';

export const providerNames = ['stripe'] as const;
export type ProviderName = (typeof providerNames)[number];

export interface ProviderSettings {
  /** Those that a store may choose. */
  names: readonly ProviderName[];
  /** Milliseconds for a call with its retries. */
  timeout: number;
  /** Milliseconds. */
  pause: number;
  /** Minutes for which an answer is used. */
  quoteLifetime: number;
  /** Null for the address that payments use. */
  stripeUrl: URL | null;
}

const properties = {
  TAX_PROVIDERS: Type.String({
    default: '',
    description:
      'Tax providers that stores may choose: `stripe` (Stripe Tax, with the accounts of payments: `STRIPE_SECRET_KEY`, `STRIPE_ACCOUNTS`); without one, taxes are computed from the tax rates of the store',
  }),
  TAX_PROVIDER_TIMEOUT: Type.Integer({
    minimum: 100,
    maximum: 20_000,
    default: 4000,
    description: 'Milliseconds for a call of a tax provider, with its retries; then the fallback of the store applies',
  }),
  TAX_PROVIDER_PAUSE: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 30,
    description: 'Seconds for which a tax provider is not called after three calls in a row have failed',
  }),
  TAX_QUOTE_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 1440,
    default: 60,
    description: "Minutes for which a provider's answer is used for the same question",
  }),
  TAX_STRIPE_API_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      description: "Replaces the address of Stripe's API for taxes: a gateway, or the simulator",
    }),
  ),
};

export const providerSettings = packageSettings(properties, (values): ProviderSettings => {
  const { TAX_STRIPE_API_URL: url } = values;
  return {
    names: providersNamed(values.TAX_PROVIDERS),
    timeout: values.TAX_PROVIDER_TIMEOUT,
    pause: values.TAX_PROVIDER_PAUSE * 1000,
    quoteLifetime: values.TAX_QUOTE_MINUTES,
    stripeUrl: url === undefined ? null : new URL(url),
  };
});

function providersNamed(text: string): ProviderName[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.find((name) => !providerNames.includes(name as ProviderName));
  if (unknown !== undefined) {
    throw new Error(`TAX_PROVIDERS names "${unknown}", which is not one of ${providerNames.join(', ')}`);
  }
  return names as ProviderName[];
}

/** Whether the stores of a box may choose a provider. */
export function hasProviders(box: HasExtensions): boolean {
  return providerSettings.of(box).names.length > 0;
}
