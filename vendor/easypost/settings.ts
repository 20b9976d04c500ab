/**
 * Settings of EasyPost, read from the environment: an account for the whole box, and accounts of single tenants.
 */
import { packageSettings, readAccountsFile, Type } from '@carton/runtime';

export interface EasyPostAccount {
  apiKey: string;
}

interface EasyPostSettings {
  url: URL;
  /** For tenants without an account of their own. */
  common: EasyPostAccount | null;
  /** By the tenant's slug or id. */
  own: ReadonlyMap<string, EasyPostAccount>;
}

const apiKey = /^EZ[AT]K\w+$/;

const properties = {
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

export const easyPostSettings = packageSettings(properties, (values): EasyPostSettings => {
  const { EASYPOST_API_KEY: key, EASYPOST_ACCOUNTS: file } = values;
  return {
    url: new URL(values.EASYPOST_API_URL),
    common: key === undefined ? null : { apiKey: key },
    own: new Map(file === undefined ? [] : (readAccountsFile('EASYPOST_ACCOUNTS', file, { apiKey }) as never)),
  };
});
