/**
 * Activation tokens, which authenticate customers at the gated registry.
 */
import { randomUUID } from 'node:crypto';
import { type Tier, vendor } from '@carton/runtime/service';
import { SignJWT } from 'jose';
import { algorithm, type Signer } from './keys.ts';

export interface ActivationClaims {
  customerId: string;
  /** Id of the licence: the registry refuses tokens of one that is withdrawn. */
  licenseId: string;
  tier: Tier;
  /** The channel whose release the packages are of. */
  channel: string;
  /** Full names of all entitled packages. */
  packages: readonly string[];
  /** URL of the registry that the token is for. */
  audience: string;
  /** Lifetime in seconds. */
  expiresIn: number;
}

/** Signs a token. Each has a unique id (`jti`). */
export function signActivation(signer: Signer, claims: ActivationClaims): Promise<string> {
  const { customerId, licenseId, tier, channel, packages, audience, expiresIn } = claims;
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT({ license: licenseId, tier, channel, packages: [...packages] })
    .setProtectedHeader({ alg: algorithm, kid: signer.kid, typ: 'JWT' })
    .setIssuer(vendor.issuer)
    .setSubject(customerId)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + expiresIn)
    .setJti(randomUUID())
    .sign(signer.privateKey);
}
