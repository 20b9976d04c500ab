/**
 * The measured control plane: a process on a database that has its domains already.
 */
import { randomBytes } from 'node:crypto';
import { startControlPlane } from '../control-plane/index.ts';

const secret = () => randomBytes(24).toString('hex');
const started = performance.now();
const server = await startControlPlane({
  databaseUrl: process.argv[2] as string,
  adminSecret: process.argv[3] as string,
  registrySecret: secret(),
  signingKeySecret: process.argv[3] as string,
  registryUrl: 'http://registry.example',
  tokenLifetimeSeconds: 3600,
  nameservers: [],
  nameserverLookup: '127.0.0.1:9',
  domainCheckInterval: 0,
  provesDomains: true,
  allowHttpBackends: true,
  allowPrivateBackends: true,
  ownHosts: [],
  host: '127.0.0.1',
  port: 0,
});
const seconds = (performance.now() - started) / 1000;
process.on('message', () => {
  global.gc?.();
  process.send?.({ seconds, bytes: process.memoryUsage().rss });
});
process.send?.({ url: server.url });
