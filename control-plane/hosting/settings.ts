/**
 * The settings of the website hosting layer, read from its environment.
 */
import { object, readSettings, Type } from '@carton/runtime/service';
import { fileDescription, readSecretFiles, type SecretFile } from '../registry/secret-files.ts';
import type { HostingOptions } from './index.ts';

/** The settings that can be given by file. */
const secretSettings = ['HOSTING_SECRET', 'PROXY_SECRET'] as const;

const secretFile = (setting: (typeof secretSettings)[number]) =>
  Type.Optional(Type.String({ minLength: 1, description: fileDescription(setting) }));

const port = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 65535, default: value, description });

const Settings = object({
  HOSTING_HOST: Type.String({
    default: '127.0.0.1',
    pattern: '^(127(\\.\\d{1,3}){3}|::1)$',
    description: 'Loopback address to listen on',
  }),
  HOSTING_PORT: port(4100, 'Port to listen on, for the proxy'),
  HOSTING_NAMES_PORT: port(4153, 'UDP port of the DNS server, for the proxy'),
  CONTROL_PLANE_URL: Type.String({ pattern: '^https?://[^\\s]+$', description: 'URL of the control plane' }),
  HOSTING_SECRET: Type.String({ minLength: 16, description: 'HOSTING_SECRET of the control plane' }),
  HOSTING_SECRET_FILE: secretFile('HOSTING_SECRET'),
  PROXY_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the proxy' }),
  PROXY_SECRET_FILE: secretFile('PROXY_SECRET'),
});

/** All settings with defaults and descriptions. */
export const settings = Settings.properties;
/** Names of the settings that must be set. */
export const requiredSettings: readonly string[] = ['CONTROL_PLANE_URL', 'HOSTING_SECRET', 'PROXY_SECRET'];

export interface HostingConfig extends HostingOptions {
  /** Files of secrets, to be followed. */
  readonly secretFiles: readonly SecretFile[];
}

/** @throws Error that names the missing or invalid setting and the values it accepts */
export function readHostingSettings(environment: NodeJS.ProcessEnv): HostingConfig {
  const { secretOf, faults, files, ...secrets } = readSecretFiles(secretSettings, environment);
  if (faults.length > 0) throw new Error(`invalid setting: ${faults.join('; ')}`);
  const values = readSettings(Settings, secrets.environment);
  return {
    host: values.HOSTING_HOST,
    port: values.HOSTING_PORT,
    namesPort: values.HOSTING_NAMES_PORT,
    controlPlaneUrl: values.CONTROL_PLANE_URL.replace(/\/+$/, ''),
    hostingSecret: secretOf('HOSTING_SECRET', values.HOSTING_SECRET),
    proxySecret: secretOf('PROXY_SECRET', values.PROXY_SECRET),
    secretFiles: files,
  };
}
