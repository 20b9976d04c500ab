// Runs the registry as a process, configured by its environment. Exit code 0 after SIGTERM or SIGINT, 1 if it cannot
// start.

import { startRegistry } from './index.ts';
import { logToStandardOutput as log } from './log.ts';

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set`);
  return value;
}

function readPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new Error(`REGISTRY_PORT is not a port number: ${text}`);
  return port;
}

const host = process.env.REGISTRY_HOST || '127.0.0.1';
try {
  const registry = await startRegistry({
    port: readPort(process.env.REGISTRY_PORT || '4873'),
    host,
    storage: required('REGISTRY_STORAGE'),
    publicUrl: process.env.REGISTRY_PUBLIC_URL || undefined,
    controlPlaneUrl: required('CONTROL_PLANE_URL'),
    registrySecret: required('REGISTRY_SECRET'),
    publishSecret: required('PUBLISH_SECRET'),
  });
  log('info', 'the registry is listening', { url: registry.url, localUrl: registry.localUrl });

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    await registry.stop();
    log('info', 'the registry has stopped');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  const reason =
    code === 'EADDRINUSE' ? `port ${process.env.REGISTRY_PORT || 4873} on ${host} is already in use` : message;
  process.stderr.write(`The registry cannot start: ${reason}\n`);
  process.exit(1);
}
