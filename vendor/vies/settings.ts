/**
 * Settings of VIES, read from the environment.
 */
import { packageSettings, Type } from '@carton/runtime';

const properties = {
  VIES_API_URL: Type.String({
    pattern: '^https?://[^?#]+$',
    default: 'https://ec.europa.eu/taxation_customs/vies/rest-api',
    description: "Address of VIES' REST API, or of what replaces it: a gateway, or the simulator",
  }),
};

export const viesSettings = packageSettings(properties, ({ VIES_API_URL: url }) => ({
  check: new URL(`${url.replace(/\/$/, '')}/check-vat-number`),
}));
