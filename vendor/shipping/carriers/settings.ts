/**
 * Settings of carrier services, read from the environment.
 */
import { type HasExtensions, packageSettings, readAccountsFile, Type } from '@carton/runtime';

export interface CarrierSettings {
  /** Null for none. */
  service: 'easypost' | null;
  /** Milliseconds for a call with its retries. */
  timeout: number;
  /** Milliseconds. */
  pause: number;
  /** Minutes for which an answer is used. */
  quoteLifetime: number;
  easypost: EasyPostAccounts;
}

export interface EasyPostAccounts {
  url: URL;
  /** For tenants without an account of their own. */
  common: EasyPostAccount | null;
  /** By the tenant's slug or id. */
  own: ReadonlyMap<string, EasyPostAccount>;
}

export interface EasyPostAccount {
  apiKey: string;
}

const apiKey = /^EZ[AT]K\w+$/;

const properties = {
  CARRIER_SERVICE: Type.String({
    default: '',
    pattern: '^(easypost)?$',
    description:
      'The service that prices shipping options of the type `carrier`: `easypost`; without one, their own rates apply',
  }),
  CARRIER_TIMEOUT: Type.Integer({
    minimum: 100,
    maximum: 20_000,
    default: 4000,
    description:
      'Milliseconds for a call of the carrier service, with its retries; then the own rates of options apply',
  }),
  CARRIER_PAUSE: Type.Integer({
    minimum: 1,
    maximum: 3600,
    default: 30,
    description: 'Seconds for which the carrier service is not called after three calls in a row have failed',
  }),
  CARRIER_QUOTE_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 1440,
    default: 60,
    description: "Minutes for which a carrier's prices are used for the same parcel and address",
  }),
  EASYPOST_API_KEY: Type.Optional(
    Type.String({
      pattern: apiKey.source,
      description: "API key of the box's account with EasyPost",
      writeOnly: true,
    }),
  ),
  EASYPOST_ACCOUNTS: Type.Optional(
    Type.String({
      description:
        'A JSON file of mode 0600 with the accounts of single tenants, by slug or id: `{"<slug>": {"apiKey": …}}`',
    }),
  ),
  EASYPOST_API_URL: Type.String({
    pattern: '^https?://[^/]+/?$',
    default: 'https://api.easypost.com',
    description: "Address of EasyPost's API, or of what replaces it: a gateway, or the simulator",
  }),
};

export const carrierSettings = packageSettings(properties, (values): CarrierSettings => {
  const { EASYPOST_API_KEY: key, EASYPOST_ACCOUNTS: file } = values;
  return {
    service: values.CARRIER_SERVICE === 'easypost' ? 'easypost' : null,
    timeout: values.CARRIER_TIMEOUT,
    pause: values.CARRIER_PAUSE * 1000,
    quoteLifetime: values.CARRIER_QUOTE_MINUTES,
    easypost: {
      url: new URL(values.EASYPOST_API_URL),
      common: key === undefined ? null : { apiKey: key },
      own: new Map(file === undefined ? [] : (readAccountsFile('EASYPOST_ACCOUNTS', file, { apiKey }) as never)),
    },
  };
});

/** Whether a service prices options of the type `carrier` in a box. */
export function hasCarrierService(box: HasExtensions): boolean {
  return carrierSettings.of(box).service !== null;
}
