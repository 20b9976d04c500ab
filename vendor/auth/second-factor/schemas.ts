/**
 * Shapes of the second factor.
 */
import { DateTime, nullable, object, type Static, Type } from '@carton/runtime';
import { ExistingPassword } from '../passwords/schemas.ts';

const TimeCode = Type.String({
  minLength: 6,
  maxLength: 40,
  description: 'A code of the authenticator',
  examples: ['123456'],
});

/** A code of an authenticator or a recovery code. */
export const Code = Type.String({
  minLength: 6,
  maxLength: 40,
  description: 'A code of the authenticator, or a recovery code',
  examples: ['123456'],
});

export const SecondFactor = object(
  {
    enabled: Type.Boolean(),
    enabledAt: nullable(DateTime),
    recoveryCodesLeft: Type.Integer({ minimum: 0, maximum: 10, examples: [10] }),
  },
  { $id: 'SecondFactor' },
);
export type SecondFactor = Static<typeof SecondFactor>;
export const BeginSecondFactor = object({ password: ExistingPassword }, { $id: 'BeginSecondFactor' });

export const PendingSecondFactor = object(
  {
    uri: Type.String({
      description: 'Show it as a QR code for the authenticator to read',
      examples: ['otpauth://totp/Shop:ada%40example.com?issuer=Shop&secret=JBSWY3DPEHPK3PXP'],
    }),
    secret: Type.String({ description: 'For typing, in base32', examples: ['JBSWY3DPEHPK3PXP'] }),
  },
  { $id: 'PendingSecondFactor' },
);

export const ConfirmSecondFactor = object({ code: TimeCode }, { $id: 'ConfirmSecondFactor' });
export const DisableSecondFactor = object({ password: ExistingPassword, code: Code }, { $id: 'DisableSecondFactor' });

export const RecoveryCodes = object(
  {
    recoveryCodes: Type.Array(Type.String({ examples: ['abcd-efgh-2345-6767'] }), {
      description: 'Shown only here; each works once in place of a code',
    }),
  },
  { $id: 'RecoveryCodes' },
);
