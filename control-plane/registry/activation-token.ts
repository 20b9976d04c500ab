// Activation tokens: who the customer is and which packages the licence holds, proven by the control plane's signature.

import { errors, jwtVerify } from 'jose';
import { keysUnavailable, tokenExpired, tokenInvalid } from './refusal.ts';
import { KeysUnavailable, type SigningKeys } from './signing-keys.ts';
import { issuer } from './vendor.ts';

export type Licence = { customerId: string; tier: string; packages: ReadonlySet<string> };

/** How far the clocks of control plane and registry may be apart. Seconds. */
const clockTolerance = 10;

export type TokenChecks = {
  keys: SigningKeys;
  /** The registry's public URL: the audience a token must have been issued for. */
  publicUrl: string;
};

/**
 * Verifies a token (RS256 and nothing else, issuer, audience, expiry) and returns what it entitles to.
 * Throws a `Refusal`: 401 for a token that does not hold, 503 while no key is there to check it with.
 */
export async function verifyActivationToken(token: string, { keys, publicUrl }: TokenChecks): Promise<Licence> {
  try {
    const { payload } = await jwtVerify(token, keys.find, {
      algorithms: ['RS256'],
      issuer,
      audience: [publicUrl, `${publicUrl}/`],
      requiredClaims: ['sub', 'exp'],
      clockTolerance,
    });
    const { sub, tier, packages } = payload;
    if (typeof sub !== 'string' || sub === '' || typeof tier !== 'string' || !isListOfNames(packages)) {
      throw tokenInvalid('its claims name no customer, tier and packages');
    }
    return { customerId: sub, tier, packages: new Set(packages) };
  } catch (error) {
    if (error instanceof KeysUnavailable) throw keysUnavailable();
    if (error instanceof errors.JWTExpired) throw tokenExpired();
    if (error instanceof errors.JOSEError) throw tokenInvalid(reasonOf(error));
    throw error;
  }
}

function isListOfNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** Says in the operator's words what is wrong with a token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return 'it was issued for another registry';
    if (error.claim === 'iss') return 'it was issued by someone else';
    return `its claim ${error.claim} does not hold`;
  }
  if (error instanceof errors.JWKSNoMatchingKey) return 'the key that signed it is unknown; activate again';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'it is not signed with RS256';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not match';
  return 'it is not an activation token';
}
