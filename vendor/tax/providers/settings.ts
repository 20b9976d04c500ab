/**
 * Settings of tax providers, read from the environment.
 */
import { extensionPoint, type HasExtensions, packageSettings, Type } from '@carton/runtime';
import { type TaxNumberChecker, taxNumberCheckers } from '../numbers/checker.ts';
import type { TaxProvider } from './provider.ts';

/** Tax providers of other packages. The settings of a box name those that its stores may choose. */
export const taxProviders = extensionPoint<TaxProvider>('tax.providers');

export interface ProviderSettings {
  /** Those that a store may choose. */
  names: readonly string[];
  /** Milliseconds for a call with its retries. */
  timeout: number;
  /** Milliseconds. */
  pause: number;
  /** Minutes for which an answer is used. */
  quoteLifetime: number;
  /** The services that prove tax numbers. */
  checkers: readonly string[];
  /** Minutes for which an answer about a tax number is used. */
  checkLifetime: number;
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
  TAX_NUMBER_CHECKERS: Type.String({
    default: '',
    description:
      'Services that prove tax numbers, for stores that sell without tax by them: `vies`, the register of the EU; without one, no number is proved. Their time and pause are those of tax providers',
  }),
  TAX_NUMBER_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 10_080,
    default: 1440,
    description: 'Minutes for which an answer about a tax number is used',
  }),
};

export const providerSettings = packageSettings(
  properties,
  (values): ProviderSettings => ({
    names: namesIn(values.TAX_PROVIDERS),
    timeout: values.TAX_PROVIDER_TIMEOUT,
    pause: values.TAX_PROVIDER_PAUSE * 1000,
    quoteLifetime: values.TAX_QUOTE_MINUTES,
    checkers: namesIn(values.TAX_NUMBER_CHECKERS),
    checkLifetime: values.TAX_NUMBER_MINUTES,
  }),
  ({ names, checkers }, box) => {
    rejectUnknown('TAX_PROVIDERS', names, providerNames(box));
    const known = taxNumberCheckers.of(box).map(({ name }) => name);
    rejectUnknown('TAX_NUMBER_CHECKERS', checkers, known);
  },
);

function rejectUnknown(setting: string, names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`${setting} names "${unknown}", which is not one of ${known.join(', ')}`);
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The names of all providers in a box, also those that its settings do not name. */
export function providerNames(box: HasExtensions): string[] {
  return taxProviders.of(box).map(({ name }) => name);
}

/** The providers that the stores of a box may choose. */
export function connectedProviders(box: HasExtensions): readonly TaxProvider[] {
  const { names } = providerSettings.of(box);
  return taxProviders.of(box).filter(({ name }) => names.includes(name));
}

/** Whether the stores of a box may choose a provider. */
export function hasProviders(box: HasExtensions): boolean {
  return providerSettings.of(box).names.length > 0;
}

/** The services that a box asks about tax numbers. */
export function usedCheckers(box: HasExtensions): readonly TaxNumberChecker[] {
  const { checkers } = providerSettings.of(box);
  return checkers.length === 0 ? [] : taxNumberCheckers.of(box).filter(({ name }) => checkers.includes(name));
}

/** Whether a box asks any service about tax numbers. */
export function hasCheckers(box: HasExtensions): boolean {
  return providerSettings.of(box).checkers.length > 0;
}
