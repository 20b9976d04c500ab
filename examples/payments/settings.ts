/**
 * Settings of Acme Pay, read from the environment: the account of the box.
 */
import { isAdapterNamed } from '@carton/payment';
import { packageSettings, Type } from '@carton/runtime';

const properties = {
  ACME_PAY_URL: Type.Optional(Type.String({ pattern: '^https?://[^/]+/?$', description: 'Address of Acme Pay' })),
  ACME_PAY_KEY: Type.Optional(Type.String({ description: 'Key of the account', writeOnly: true })),
  ACME_PAY_WEBHOOK_SECRET: Type.Optional(
    Type.String({ minLength: 16, description: 'With which Acme Pay signs its webhooks', writeOnly: true }),
  ),
};

export const acmeSettings = packageSettings(
  properties,
  ({ ACME_PAY_URL: url = null, ACME_PAY_KEY: key = null, ACME_PAY_WEBHOOK_SECRET: secret = null }) =>
    url && key && secret ? { url: new URL(url), key, secret } : { url: null, key: null, secret: null },
  ({ url }, box) => {
    if (!url && isAdapterNamed(box, 'acme-pay')) {
      throw new Error('PAYMENT_ADAPTERS names acme-pay, and one of ACME_PAY_URL, _KEY and _WEBHOOK_SECRET is not set');
    }
  },
);
