/**
 * The domains of a deployment: normalised, and those rejected that no customer can have.
 */
import { type FieldError, isPublicSuffix, normalizeDomain } from '@carton/runtime/service';

/** A domain of a request, as sent and normalised. */
export interface Claim {
  sent: string;
  domain: string;
  index: number;
}

/** Reads the domains of a request; names each one that is invalid, or belongs to nobody, in `errors`. */
export async function readClaims(domains: readonly string[]): Promise<{ claims: Claim[]; errors: FieldError[] }> {
  const claims: Claim[] = [];
  const errors: FieldError[] = [];
  for (const [index, sent] of domains.entries()) {
    const domain = normalizeDomain(sent);
    const detail = domain === null ? 'must be a host name, or *. followed by one' : await faultOf(domain);
    if (detail === null) claims.push({ sent, domain: domain as string, index });
    else errors.push({ in: 'body', pointer: `/domains/${index}`, detail });
  }
  return { claims, errors };
}

async function faultOf(domain: string): Promise<string | null> {
  const isSuffix = domain === 'localhost' || (await isPublicSuffix(domain));
  return isSuffix ? 'must be a name below a public suffix (publicsuffix.org), not one itself' : null;
}
