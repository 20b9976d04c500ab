/**
 * Reads settings from the environment by a schema with the type, default and description of each.
 */
import { oneOf, type Static, type TObject, type TSchema, Type } from './http/schemas.ts';
import { trustedProxy } from './http/trusted-proxy.ts';
import { faults } from './http/validation.ts';

/** Marks a setting whose value is never shown, as JSON Schema's `writeOnly` does. */
export const secret = { writeOnly: true } as const;

/** The settings of every service. */
export const serviceSettings = {
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on' }),
  DATABASE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description: 'PostgreSQL to use instead of the embedded one',
      ...secret,
    }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 500,
    default: 10,
    description: 'Maximum number of connections',
  }),
  TRUST_PROXY: Type.String({
    default: 'false',
    description:
      'Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are trusted: `false` for none, the number of proxies in a chain (`true` is one), or their addresses: `loopback, 10.0.0.0/8` (`private` for all private ranges)',
  }),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Lowest level that is logged; SIGUSR2 switches to `debug` and back',
  }),
  SLOW_QUERY_MILLISECONDS: Type.Integer({
    minimum: 0,
    maximum: 3_600_000,
    default: 500,
    description: 'Time from which a statement, or a wait for a connection, is logged as slow; 0 for never',
  }),
  DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 600,
    default: 0,
    description:
      'Time between SIGTERM and stopping, in which `/health` is 503 and requests are still served; behind a load balancer, longer than it takes to notice',
  }),
  METRICS_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'Bearer secret for `/metrics` only',
      ...secret,
    }),
  ),
};

/**
 * Reads the settings that a schema declares; an empty variable counts as not set.
 * @throws Error naming an invalid setting and what it must be
 */
export function readSettings<T extends TObject>(schema: T, environment: NodeJS.ProcessEnv): Static<T> {
  const values: Record<string, unknown> = {};
  const validated: Record<string, TSchema> = {};
  const required = new Set(schema.required);
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = environment[name];
    const isSet = text !== undefined && text !== '';
    const value = isSet ? fromText(text, property.type) : property.default;
    if (value !== undefined) values[name] = value;
    // Defaults are validated by a test: compiling the schemas of all settings would take a tenth of a box's start.
    if (isSet || (value === undefined && required.has(name))) validated[name] = property;
  }
  const wrong = Object.keys(validated).length > 0 ? faults(Type.Object(validated), values) : null;
  if (wrong) throw new Error(`invalid setting: ${readable(wrong)}`);
  return values as Static<T>;
}

/** Checks the setting TRUST_PROXY. @throws Error naming it and the invalid part */
export function readTrustProxy(text: string): string {
  try {
    trustedProxy(text);
  } catch (error) {
    throw new Error(`invalid setting: TRUST_PROXY: ${(error as Error).message}`);
  }
  return text;
}

/** Replaces the validator's paths with names of settings, and its JSON with what is written in an environment. */
function readable(faults: string): string {
  const named = faults.replaceAll(/data must have required property '(\w+)'/g, '$1 is not set').replaceAll('data/', '');
  return named.replaceAll('"', '');
}

/** Converts the text to the type. A text that does not fit is returned, so that the schema reports it with its name. */
function fromText(text: string, type: unknown): unknown {
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}
