/**
 * The environment of a process held against a schema: each setting with its type, its default and its meaning.
 */
import { oneOf, type Static, type TObject, Type } from './http/schemas.ts';
import { trustedProxy } from './http/trusted-proxy.ts';
import { faults } from './http/validation.ts';

/** What every service is told. */
export const serviceSettings = {
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on' }),
  DATABASE_URL: Type.Optional(
    Type.String({ pattern: '^postgres(ql)?://', description: 'PostgreSQL to use instead of the embedded one' }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 500, default: 10, description: 'Most connections at once' }),
  TRUST_PROXY: Type.String({
    default: 'false',
    description:
      'Which proxies in front are believed in `X-Forwarded-For`, `-Host` and `-Proto`: `false` for none, how many stand one behind the other (`true` is one), or their addresses: `loopback, 10.0.0.0/8` (`private` stands for the private ranges)',
  }),
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Least level that is logged; SIGUSR2 changes to `debug` and back',
  }),
  SLOW_QUERY_MILLISECONDS: Type.Integer({
    minimum: 0,
    maximum: 3_600_000,
    default: 500,
    description: 'Time from which on a statement, or a wait for a connection, is logged as slow; 0 for never',
  }),
  DRAIN_SECONDS: Type.Integer({
    minimum: 0,
    maximum: 600,
    default: 0,
    description:
      'Time between SIGTERM and stopping, in which `/health` is 503 already and everything is still served; set it behind a load balancer, to longer than that takes to notice',
  }),
  METRICS_SECRET: Type.Optional(
    Type.String({
      minLength: 16,
      description: 'Bearer secret that opens `/metrics` and nothing else',
    }),
  ),
};

/**
 * Reads the settings that a schema declares; one that is empty counts as not given.
 * @throws Error naming the setting that is wrong and what it must be
 */
export function readSettings<T extends TObject>(schema: T, environment: NodeJS.ProcessEnv): Static<T> {
  const given: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = environment[name];
    const value = text === undefined || text === '' ? property.default : fromText(text, property.type);
    if (value !== undefined) given[name] = value;
  }
  const wrong = faults(schema, given);
  if (wrong) throw new Error(`wrong setting: ${readable(wrong)}`);
  return given as Static<T>;
}

/** The setting TRUST_PROXY, held against what it may be. @throws Error naming it and the part that is wrong */
export function readTrustProxy(text: string): string {
  try {
    trustedProxy(text);
  } catch (error) {
    throw new Error(`wrong setting: TRUST_PROXY: ${(error as Error).message}`);
  }
  return text;
}

/** The faults with the setting's name first. */
function readable(faults: string): string {
  return faults.replaceAll(/data must have required property '(\w+)'/g, '$1 is not set').replaceAll('data/', '');
}

/** Text that does not fit the type is kept, so that the schema refuses it by name. */
function fromText(text: string, type: unknown): unknown {
  if (type === 'integer') return /^\d+$/.test(text) ? Number(text) : text;
  if (type === 'boolean') {
    if (text === 'true' || text === '1') return true;
    if (text === 'false' || text === '0') return false;
  }
  return text;
}
