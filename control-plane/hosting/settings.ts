/**
 * The settings of the website hosting layer, read from its environment.
 */
import { object, readSettings, Type } from '@carton/runtime/service';
import type { HostingOptions } from './index.ts';

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
  PROXY_SECRET: Type.String({ minLength: 16, description: 'Bearer secret of the proxy' }),
});

/** All settings with defaults and descriptions. */
export const settings = Settings.properties;

/** @throws Error that names the missing or invalid setting and the values it accepts */
export function readHostingSettings(environment: NodeJS.ProcessEnv): HostingOptions {
  const values = readSettings(Settings, environment);
  return {
    host: values.HOSTING_HOST,
    port: values.HOSTING_PORT,
    namesPort: values.HOSTING_NAMES_PORT,
    controlPlaneUrl: values.CONTROL_PLANE_URL.replace(/\/+$/, ''),
    hostingSecret: values.HOSTING_SECRET,
    proxySecret: values.PROXY_SECRET,
  };
}
