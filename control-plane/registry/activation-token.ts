// Activation tokens: the customer and the entitled packages, signed by the control plane.

import { errors, jwtVerify } from 'jose';
import { keysUnavailable, type RefusedReason, tokenExpired, tokenInvalid } from './refusal.ts';
import { KeysUnavailable, type SigningKeys } from './signing-keys.ts';
import { issuer } from './vendor.ts';

export type Licence = {
  /** Missing in tokens of an earlier control plane. */
  licenceId: string | undefined;
  customerId: string;
  tier: string;
  packages: ReadonlySet<string>;
  /** Of the token, in seconds since the epoch. */
  issuedAt: number;
};

/** Permitted difference between the clocks of control plane and registry, in seconds. */
const clockTolerance = 10;

export type TokenVerification = {
  keys: SigningKeys;
  /** The registry's public URL, which must be the audience of a token. */
  publicUrl: string;
};

/**
 * Verifies a token (only RS256; issuer, audience, expiry) and returns its licence.
 * @throws Refusal 401 for an invalid token, 503 if the public keys are unavailable
 */
export async function verifyActivationToken(token: string, { keys, publicUrl }: TokenVerification): Promise<Licence> {
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      algorithms: ['RS256'],
      issuer,
      audience: [publicUrl, `${publicUrl}/`],
      requiredClaims: ['sub', 'exp'],
      clockTolerance,
    });
    const { sub, tier, packages, license, iat = 0 } = payload;
    if (typeof sub !== 'string' || sub === '' || typeof tier !== 'string' || !isStringArray(packages)) {
      throw tokenInvalid('claims', 'its claims do not contain a customer, tier and packages');
    }
    const licenceId = typeof license === 'string' ? license : undefined;
    return { licenceId, customerId: sub, tier, packages: new Set(packages), issuedAt: iat };
  } catch (error) {
    if (error instanceof KeysUnavailable) throw keysUnavailable();
    if (error instanceof errors.JWTExpired) throw tokenExpired();
    if (error instanceof errors.JOSEError) throw tokenInvalid(...describeFault(error));
    throw error;
  }
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** Why a token is invalid, for the metrics and for operators. */
function describeFault(error: errors.JOSEError): [RefusedReason, string] {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return ['audience', 'it was issued for another registry'];
    if (error.claim === 'iss') return ['issuer', 'it has another issuer'];
    return ['claims', `its claim ${error.claim} is invalid`];
  }
  if (error instanceof errors.JWKSNoMatchingKey) return ['unknown_key', 'its signing key is unknown; activate again'];
  if (error instanceof errors.JOSEAlgNotAllowed) return ['algorithm', 'it is not signed with RS256'];
  if (error instanceof errors.JWSSignatureVerificationFailed) return ['signature', 'its signature does not match'];
  return ['malformed', 'it is not an activation token'];
}
