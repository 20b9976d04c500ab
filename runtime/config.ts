/**
 * The environment of a box as one frozen, checked object.
 */
import { resolve } from 'node:path';
import { object, Type } from './http/schemas.ts';
import { readSettings } from './settings.ts';

const Settings = object({
  HOST: Type.String({ minLength: 1, default: '127.0.0.1', description: 'Address to listen on' }),
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3001, description: 'Port to listen on' }),
  BOX_HOME: Type.String({ minLength: 1, default: '.', description: "The box's folder: data, logs" }),
  BOX_PACKAGES: Type.String({
    minLength: 1,
    default: 'carton.lock.json',
    description: 'The lock file that names the entitled packages; they stand in node_modules beside it',
  }),
  DATABASE_URL: Type.Optional(
    Type.String({ pattern: '^postgres(ql)?://', description: 'PostgreSQL to use instead of the embedded one' }),
  ),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 500, default: 10, description: 'Most connections at once' }),
  OPERATOR_SECRET: Type.Optional(Type.String({ minLength: 16, description: "The operator's bearer secret" })),
  HOSTING_SECRET: Type.Optional(Type.String({ minLength: 16, description: 'Secret of the website hosting layer' })),
  TRUST_PROXY: Type.Boolean({ default: false, description: 'Believe X-Forwarded-For, -Proto and -Host' }),
  LOG_LEVEL: Type.Unsafe<'debug' | 'info' | 'warn' | 'error' | 'silent'>({
    enum: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    description: 'Least level that is logged',
  }),
});

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly home: string;
  readonly lockFile: string;
  readonly databaseUrl: string | undefined;
  readonly poolSize: number;
  readonly operatorSecret: string | undefined;
  readonly hostingSecret: string | undefined;
  readonly trustProxy: boolean;
  readonly logLevel: string;
}

/** Every setting with its default and meaning, for the README and --help. */
export const settings = Settings.properties;

/**
 * Reads the settings of a box.
 * @throws Error naming the setting that is wrong and what it must be
 */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const values = readSettings(Settings, environment);
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    home: resolve(values.BOX_HOME),
    lockFile: resolve(values.BOX_PACKAGES),
    databaseUrl: values.DATABASE_URL,
    poolSize: values.DATABASE_POOL_SIZE,
    operatorSecret: values.OPERATOR_SECRET,
    hostingSecret: values.HOSTING_SECRET,
    trustProxy: values.TRUST_PROXY,
    logLevel: values.LOG_LEVEL,
  });
}
