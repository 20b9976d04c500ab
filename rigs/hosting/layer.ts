/**
 * The website hosting layer of the rig: control plane, hosting service and Caddy, each a process of its own, and a Caddy
 * that ends TLS in front of a box.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Caller, callerOf, freePort, missingPrograms, pathOf } from '@carton/runtime/testing';
import { startNameServer } from '../../control-plane/hosting/names.ts';
import { controlPlaneFile, controlPlaneProgram, startProgram, untilResponds } from '../support/programs.ts';
import type { Stage } from '../support/rig.ts';

export interface Layer {
  httpsPort: number;
  /** Files with the certificates of the authority that signs those of hosts. */
  authority: { root: string; intermediate: string };
  controlPlane: Caller;
  /** Sends SIGKILL to the control plane. */
  killControlPlane(): Promise<void>;
  licence: string;
  deploy(name: string, backendUrl: string, domains: string[]): Promise<void>;
  replaceSecret(name: string): Promise<string>;
}

/** Why the rig is skipped; false if Caddy and Chromium are installed. */
export const findMissing = () => missingPrograms('caddy', 'chromium');

/** Starts a Caddy with its own folder for keys. Returns that folder. */
async function startCaddy(stage: Stage, name: string, file: string, env: Record<string, string>, httpPort: number) {
  const folder = join(stage.folder, `${name}-keys`);
  await mkdir(folder);
  const caddy = startProgram(stage, name, {
    program: pathOf('caddy'),
    words: ['run', '--adapter', 'caddyfile', '--config', file],
    environment: { ...env, CADDY_STORAGE: folder },
  });
  await untilResponds(stage, caddy, `http://127.0.0.1:${httpPort}/`);
  return join(folder, 'pki/authorities/local');
}

/** Ends TLS in front of a box. Returns its port and the file of the authority that signed its certificate. */
export async function startFront(stage: Stage, boxUrl: string): Promise<{ port: number; authority: string }> {
  const [httpPort, port] = [await freePort(), await freePort()];
  const file = join(stage.folder, 'front.Caddyfile');
  await writeFile(
    file,
    `{
      admin off
      http_port ${httpPort}
      https_port ${port}
      storage file_system {$CADDY_STORAGE}
      local_certs
      skip_install_trust
    }
    https://:${port} {
      tls {
        on_demand
      }
      reverse_proxy ${boxUrl.replace('http://', '')} {
        trusted_proxies private_ranges
      }
    }`,
  );
  const folder = await startCaddy(stage, 'front', file, {}, httpPort);
  return { port, authority: join(folder, 'root.crt') };
}

/** @param options.backends names of backends, which all have the address 127.0.0.1 */
export async function startLayer(stage: Stage, options: { backends: string[]; trusted: string }): Promise<Layer> {
  const names = await startNameServer((name) => (options.backends.includes(name) ? ['127.0.0.1'] : []), '127.0.0.1', 0);
  stage.atEnd('the names of backends', names.stop);
  const secret = () => randomBytes(24).toString('hex');
  const [admin, hostingSecret, proxySecret] = [secret(), secret(), secret()];
  const [controlPort, servicePort, namesPort] = [await freePort(), await freePort(), await freePort()];
  const controlPlaneUrl = `http://127.0.0.1:${controlPort}`;
  stage.say('starting a control plane');
  const start = (name: string, path: string, environment: Record<string, string>) =>
    startProgram(stage, name, { program: process.execPath, words: controlPlaneProgram(path), environment });
  const controlPlane = start('control-plane', 'main.ts', {
    CONTROL_PLANE_HOME: join(stage.folder, 'control-plane'),
    CONTROL_PLANE_PORT: String(controlPort),
    ADMIN_SECRET: admin,
    REGISTRY_SECRET: secret(),
    PUBLISH_SECRET: secret(),
    REGISTRY_URL: 'http://registry.example:4873',
    SIGNING_KEY_SECRET: secret(),
    NAMESERVER_LOOKUP: names.address,
    HOSTING_SECRET: hostingSecret,
    ALLOW_HTTP_BACKENDS: 'true',
    ALLOW_PRIVATE_BACKENDS: 'true',
    LOG_LEVEL: 'warn',
  });
  await untilResponds(stage, controlPlane, `${controlPlaneUrl}/health`);
  const service = start('hosting', 'hosting/main.ts', {
    HOSTING_PORT: String(servicePort),
    HOSTING_NAMES_PORT: String(namesPort),
    CONTROL_PLANE_URL: controlPlaneUrl,
    HOSTING_SECRET: hostingSecret,
    PROXY_SECRET: proxySecret,
  });
  await untilResponds(stage, service, `http://127.0.0.1:${servicePort}/`);
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const authority = await startCaddy(
    stage,
    'caddy',
    controlPlaneFile('hosting/Caddyfile'),
    {
      HTTP_PORT: String(httpPort),
      HTTPS_PORT: String(httpsPort),
      CADDY_OPTIONS: 'local_certs\nskip_install_trust',
      HOSTING_PAGES: controlPlaneFile('hosting/pages'),
      HOSTING_SERVICE: `127.0.0.1:${servicePort}`,
      HOSTING_NAMES: `127.0.0.1:${namesPort}`,
      PROXY_SECRET: proxySecret,
      SSL_CERT_FILE: options.trusted,
    },
    httpPort,
  );
  const vendor = callerOf(controlPlaneUrl, { authorization: `Bearer ${admin}` });
  const { body } = await vendor.post('/license/keys', { customerId: 'rig', tier: 'enterprise' });
  const licence = body.key as string;
  const require = (answer: { status: number; body: unknown }, status: number) => {
    if (answer.status !== status) throw new Error(`the control plane answered ${JSON.stringify(answer.body)}`);
  };
  return {
    httpsPort,
    authority: { root: join(authority, 'root.crt'), intermediate: join(authority, 'intermediate.crt') },
    controlPlane: vendor,
    async killControlPlane() {
      controlPlane.child.kill('SIGKILL');
      await controlPlane.ended;
    },
    licence,
    async deploy(name, backendUrl, domains) {
      require(await vendor.post('/boxes/deploy', { key: licence, name, backendUrl, domains }), 200);
    },
    async replaceSecret(name) {
      const headers = { authorization: `Bearer ${licence}` };
      const answer = await vendor.post('/boxes/hosting-secret', { name }, { headers });
      require(answer, 201);
      return answer.body.hostingSecret;
    },
  };
}
