/**
 * Shapes that several rooms of the control plane share.
 */
import { oneOf, packageName, Type, tiers } from '@carton/runtime/service';

/** Text without control characters, which neither logs nor the database take, and with something to see in it. */
const readable = '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$';

export const Tier = oneOf(tiers, { description: 'What is entitled' });
export const CustomerId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: readable,
  description: 'Opaque customer identifier',
  examples: ['customer-17'],
});
/** The key as its holder sends it. Its form is not in the schema: a mistyped key is 401, not 400. */
export const LicenseKeyText = Type.String({ minLength: 1, maxLength: 255, description: 'The licence key' });
export const BoxName = Type.String({ minLength: 1, maxLength: 120, pattern: readable, examples: ['shop-berlin'] });
export const PackageName = Type.String({
  maxLength: 214,
  pattern: '^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$',
  description: 'Full npm name of a package',
  examples: [packageName('cart')],
});
export const VersionText = Type.String({ minLength: 1, maxLength: 256, pattern: readable, examples: ['0.1.0'] });
