/**
 * Schemas shared by several folders of the control plane.
 */
import { oneOf, packageName, Type, tiers } from '@carton/runtime/service';

/** At least one visible character and no control characters, which neither logs nor the database accept. */
const visibleText = '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$';

export const Tier = oneOf(tiers, { description: 'The tier of the licence' });
/** `expired` is derived from `expiresAt`; the others are set by the vendor and take precedence. */
export const licenseStates = ['active', 'suspended', 'revoked', 'expired'] as const;
export const LicenseState = oneOf(licenseStates);
export const CustomerId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: visibleText,
  description: 'Identifier of the customer, chosen by the vendor',
  examples: ['customer-17'],
});
/** A licence key as sent. The schema does not check its format: a mistyped key is 401, not 400. */
export const LicenseKeyText = Type.String({ minLength: 1, maxLength: 255, description: 'The licence key' });
/** A short text in one line, chosen by the vendor. */
export const Label = Type.String({
  minLength: 1,
  maxLength: 120,
  pattern: visibleText,
  examples: ['Berlin, second office'],
});
export const BoxName = Type.String({ minLength: 1, maxLength: 120, pattern: visibleText, examples: ['shop-berlin'] });
export const PackageName = Type.String({
  maxLength: 214,
  pattern: '^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$',
  description: 'npm name of a package, with its scope',
  examples: [packageName('cart')],
});
export const VersionText = Type.String({ minLength: 1, maxLength: 256, pattern: visibleText, examples: ['0.1.0'] });
