/**
 * Activation tokens: what the gated registry lets a customer in by.
 */
import { randomUUID } from 'node:crypto';
import { type Tier, vendor } from '@carton/runtime/service';
import { SignJWT } from 'jose';
import { algorithm, type Signer } from './keys.ts';

export interface ActivationClaims {
  customerId: string;
  tier: Tier;
  /** Full names of every entitled package. */
  packages: readonly string[];
  /** Address of the registry the token is for. */
  audience: string;
  /** Lifetime in seconds. */
  expiresIn: number;
}

/** Signs a token; each has an id of its own (`jti`), also for the same claims. */
export function signActivation(signer: Signer, claims: ActivationClaims): Promise<string> {
  const { customerId, tier, packages, audience, expiresIn } = claims;
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT({ tier, packages: [...packages] })
    .setProtectedHeader({ alg: algorithm, kid: signer.kid, typ: 'JWT' })
    .setIssuer(vendor.issuer)
    .setSubject(customerId)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + expiresIn)
    .setJti(randomUUID())
    .sign(signer.privateKey);
}
