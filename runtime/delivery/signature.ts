/**
 * Signatures of webhooks: version 1 of Standard Webhooks (standardwebhooks.com), HMAC-SHA256 over id, time and body.
 */
import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A secret: `whsec_` and 32 random bytes in base64. */
export function generateSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/**
 * The headers of a request.
 * @param secrets each signs: while a secret is being replaced, receivers accept either
 * @param timestamp Unix time of the attempt, in seconds
 */
export function signatureHeaders(secrets: readonly string[], id: string, timestamp: number, body: string) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
